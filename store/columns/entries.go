package columns

import (
	"fmt"

	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/ranking"
	"product-comments/store/sortable"
	"product-comments/store/table"
)

// attrVersion is what an entry of key.Helpful has besides those of index.Layout and
// item.Carried.
const attrVersion = item.AttrDefined

// bare is the column of comments without any value, instead of all others.
const bare = ""

// keysOf returns the keys of the entries of a comment, under the definitions that its
// item names: one in each column, by attribute, key.Helpful or bare.
func keysOf(im *index.Image, d *attributes.Definitions) map[string]index.Key {
	if d.Version() == "" {
		return nil
	}
	values := d.Values(im.Attributes)
	out := make(map[string]index.Key, len(d.List())+1)
	product, at := im.ProductID, im.SortKey
	out[key.Helpful] = helpfulKey(im)
	if len(values) == 0 && d.Any() {
		out[bare] = index.Key{PK: key.ColumnBare(product).Value, SK: at}
		return out
	}
	for i := range d.List() {
		attribute := d.List()[i].Key
		out[attribute] = index.Key{PK: key.ColumnMissing(product, attribute).Value, SK: at}
	}
	for _, v := range values {
		out[v.Key] = index.Key{PK: key.ColumnValues(product, v.Key).Value, SK: string(v.Sort()) + at}
	}
	return out
}

// helpfulKey returns the key of the entry of a comment in key.Helpful.
func helpfulKey(im *index.Image) index.Key {
	if value := HelpfulValue(im.HelpfulCount(), im.Down); value != nil {
		return index.Key{PK: key.ColumnValues(im.ProductID, key.Helpful).Value, SK: string(value) + im.SortKey}
	}
	return index.Key{PK: key.ColumnMissing(im.ProductID, key.Helpful).Value, SK: im.SortKey}
}

// HelpfulValue returns the value of a comment in key.Helpful that so many found helpful and
// not helpful: a number above 0, see ranking.LowerBound. It is nil of those that have none.
func HelpfulValue(helpful, unhelpful int) []byte {
	bound := ranking.LowerBound(helpful, unhelpful)
	n, err := sortable.ParseNumber(fmt.Sprintf("%de-%d", bound, ranking.Digits))
	if err != nil || bound == 0 { // a whole number is one
		return nil
	}
	return sortable.AppendNumber(nil, n)
}

// versionOf names the definitions of an item.
func versionOf(im *index.Image) version { return version{im.ProductID, im.Defined} }

// entry returns an entry of a comment.
func entry(im *index.Image, in string, at index.Key) table.Item {
	it := at.Item(key.Columns)
	for _, name := range item.Carried {
		if value, ok := im.Item[name]; ok {
			it[name] = value
		}
	}
	if in == key.Helpful {
		it[attrVersion] = im.Item[item.AttrDefined]
	}
	return it
}

// sameEntry reports whether two images carry the same in a column.
func sameEntry(a, b *index.Image, in string) bool {
	if in == key.Helpful && versionOf(a) != versionOf(b) {
		return false
	}
	return index.SameParts(a, b, item.Carried)
}
