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

// attrVersion is an additional attribute of the entries of key.Helpful.
const attrVersion = item.AttrDefined

// bare is the column of comments without any value, which have no entries in other columns.
const bare = ""

// keysOf returns the keys of a comment's entries under the definitions of its version, by
// column: an attribute, key.Helpful or bare.
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

// HelpfulValue returns the value in key.Helpful for so many helpful and unhelpful votes: a
// number above 0, see ranking.LowerBound, or nil for none.
func HelpfulValue(helpful, unhelpful int) []byte {
	bound := ranking.LowerBound(helpful, unhelpful)
	n, err := sortable.ParseNumber(fmt.Sprintf("%de-%d", bound, ranking.Digits))
	if err != nil || bound == 0 { // a whole number is always valid
		return nil
	}
	return sortable.AppendNumber(nil, n)
}

// versionOf returns the version of an item's definitions.
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

// sameEntry reports whether the entries of two images in a column are equal.
func sameEntry(a, b *index.Image, in string) bool {
	if in == key.Helpful && versionOf(a) != versionOf(b) {
		return false
	}
	return index.SameParts(a, b, item.Carried)
}
