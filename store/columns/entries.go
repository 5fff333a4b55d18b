package columns

import (
	"strconv"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// Attributes of an entry beside its keys and item.Carried.
const (
	attrGeneration = item.AttrGeneration // N, in which it was written; absent for 0
	attrVersion    = item.AttrDefined
)

// place is the primary key of an entry.
type place struct{ pk, sk string }

func (p place) key() table.Item { return table.ColumnKey(p.pk, p.sk) }

// column is one of a product: of an attribute, of key.Helpful, or bare.
type column struct{ product, attribute string }

// bare is the column of comments without any value, instead of all others.
const bare = ""

// placesOf returns where the entries of a comment are, under the definitions that its
// item names: in one place of each column.
func placesOf(im *projector.Image, d *attributes.Definitions) map[column]place {
	if d.Version() == "" {
		return nil
	}
	values := d.Values(im.Attributes)
	out := make(map[column]place, len(d.List())+1)
	product, at := im.ProductID, im.SortKey
	helpful := place{key.ColumnMissing(product, key.Helpful).Value, at}
	if value := HelpfulValue(im.HelpfulCount()); value != nil {
		helpful = place{key.ColumnValues(product, key.Helpful).Value, string(value) + at}
	}
	out[column{product, key.Helpful}] = helpful
	if len(values) == 0 && d.Any() {
		out[column{product, bare}] = place{key.ColumnBare(product).Value, at}
		return out
	}
	for i := range d.List() {
		attribute := d.List()[i].Key
		out[column{product, attribute}] = place{key.ColumnMissing(product, attribute).Value, at}
	}
	for _, v := range values {
		out[column{product, v.Key}] = place{key.ColumnValues(product, v.Key).Value, string(v.Sort()) + at}
	}
	return out
}

// HelpfulValue returns the value of comments in key.Helpful that so many found helpful;
// nil of those that have none.
func HelpfulValue(count int) []byte {
	n, err := sortable.ParseNumber(strconv.Itoa(count))
	if err != nil || count <= 0 { // a whole number is one
		return nil
	}
	return sortable.AppendNumber(nil, n)
}

// versionOf names the definitions of an item.
func versionOf(im *projector.Image) version { return version{im.ProductID, im.Defined} }

// entry returns an entry of a comment, written in a generation.
func entry(im *projector.Image, in column, at place, generation int) table.Item {
	it := at.key()
	for _, name := range item.Carried {
		if value, ok := im.Item[name]; ok {
			it[name] = value
		}
	}
	if generation > 0 {
		it[attrGeneration] = table.N(generation)
	}
	if in.attribute == key.Helpful {
		it[attrVersion] = im.Item[item.AttrDefined]
	}
	return it
}

// sameEntry tells whether two images carry the same in a column.
func sameEntry(a, b *projector.Image, in column) bool {
	if in.attribute == key.Helpful && versionOf(a) != versionOf(b) {
		return false
	}
	for _, name := range item.Carried {
		if !table.SameValue(a.Item[name], b.Item[name]) {
			return false
		}
	}
	return true
}
