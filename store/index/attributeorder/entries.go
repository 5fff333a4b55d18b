package attributeorder

import (
	"context"
	"fmt"
	"maps"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/key/sortable"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// attrVersion is an additional attribute of the entries of key.Helpful.
const attrVersion = item.AttrDefined

// bare replaces the attribute in entries of comments without any value, which have no other
// entries except for key.Helpful.
const bare = ""

// Name implements index.Index.
func (x *Index) Name() string { return "attribute index" }

// Projected implements index.Entries.
func (x *Index) Projected() bool { return true }

// Entries implements index.Entries: the entries of a comment under the definitions of its version,
// by attribute, which may be key.Helpful or bare.
func (x *Index) Entries(ctx context.Context, _ settings.Settings, im *index.Image) (all []index.Entry, err error) {
	if im.Defined == "" {
		return nil, nil
	}
	d, err := x.definitionsOf(ctx, versionOf(im))
	if err != nil {
		return nil, err
	}
	carried := table.Some(im.Item, item.Carried...)
	helpful := maps.Clone(carried)
	helpful[attrVersion] = im.Item[item.AttrDefined]
	add := func(in string, at index.Key, attributes table.Item) {
		all = append(all, index.Entry{In: key.Columns, At: at, Unit: in, Attributes: attributes})
	}
	add(key.Helpful, helpfulKey(im), helpful)
	product, values, at := im.ProductID, map[string]string{}, im.SortKey
	for _, v := range d.Values(im.Attributes) {
		values[v.Key] = string(v.Sort())
	}
	if len(values) == 0 && d.Any() {
		add(bare, index.Key{PK: key.ColumnBare(product).Value, SK: at}, carried)
		return all, nil
	}
	for i := range d.List() {
		attribute := d.List()[i].Key
		if value, has := values[attribute]; has {
			add(attribute, index.Key{PK: key.ColumnValues(product, attribute).Value, SK: value + at}, carried)
		} else {
			add(attribute, index.Key{PK: key.ColumnMissing(product, attribute).Value, SK: at}, carried)
		}
	}
	return all, nil
}

// EntryOf implements index.Entries.
func (x *Index) EntryOf(it table.Item) (of index.Subject, ok bool) {
	if of.Product, _, _, ok = key.ParseColumn(table.Text(it, key.PK)); ok {
		_, sortKey, _ := key.CutValue(string(table.Bytes(it, key.SK)))
		at, _ := key.ParseSortKey(sortKey)
		of.Comment = at.CommentID
	}
	return of, ok
}

// helpfulKey returns the key of the entry of a comment in key.Helpful.
func helpfulKey(im *index.Image) index.Key {
	if value := HelpfulValue(im.HelpfulCount(), im.Down); value != nil {
		return index.Key{PK: key.ColumnValues(im.ProductID, key.Helpful).Value, SK: string(value) + im.SortKey}
	}
	return index.Key{PK: key.ColumnMissing(im.ProductID, key.Helpful).Value, SK: im.SortKey}
}

// HelpfulValue returns the value in key.Helpful for numbers of helpful and unhelpful votes: a
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
