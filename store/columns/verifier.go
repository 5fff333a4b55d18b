package columns

import (
	"context"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Verifiers compares the entries of products with the entries expected from comments, column by
// column.
func (c *Columns) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Entries{
		About: "product", Kind: "entries of columns", Shared: true,
		Subject: productOf, Of: c.entriesOf, Found: c.eachEntry,
		Sources: func(ctx context.Context, product string, _ []string, each index.EachItem) error {
			return item.EachWhole(ctx, c.t, product, each)
		},
		Name: func(attribute string) string {
			if attribute == bare {
				return "entries of comments without attributes"
			}
			return "entries in the index of attribute " + attribute
		},
	}.Verify(now, share)}
}

// productOf returns the product of a published comment, or of an entry.
var productOf = index.OfProducts(func(pk string) (product string) {
	product, _, _, _ = key.ParseColumn(pk)
	return product
})

// entriesOf returns the entries expected from a comment, or the one entry that an item is.
func (c *Columns) entriesOf(ctx context.Context, _ settings.Settings, it table.Item,
	comment *item.Stored) (all []index.Entry, err error) {
	if comment == nil {
		_, attribute, _, _ := key.ParseColumn(table.Text(it, key.PK))
		return []index.Entry{{Unit: attribute, Digest: index.Digest(it), N: -1}}, nil
	}
	im := &index.Image{Stored: *comment, Item: it}
	if !concerns(im) {
		return nil, nil
	}
	d, err := c.definitionsOf(ctx, versionOf(im))
	if err != nil {
		return nil, err
	}
	for in, at := range keysOf(im, d) {
		all = append(all, index.Entry{Unit: in, Digest: index.Digest(entry(im, in, at)), N: 1})
	}
	return all, nil
}

// eachEntry calls each with the entries of some columns of a product.
func (c *Columns) eachEntry(ctx context.Context, product string, attributes []string, each index.EachItem) error {
	var partitions []key.Partition
	for _, attribute := range attributes {
		if attribute == bare {
			partitions = append(partitions, key.ColumnBare(product))
			continue
		}
		partitions = append(partitions, key.ColumnValues(product, attribute), key.ColumnMissing(product, attribute))
	}
	return index.EachIn(ctx, c.t, partitions, each)
}
