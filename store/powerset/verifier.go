package powerset

import (
	"context"
	"strings"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Verifiers compares the copies of products' comments with the expected copies, partition by
// partition.
func (p *PowerSets) Verifiers(now settings.Settings, share *index.Share) []index.Verifier {
	return []index.Verifier{index.Entries{
		About: "product", Kind: "copies", Shared: true,
		Subject: productOf, Of: p.entriesOf, Found: p.eachCopy,
		Sources: func(ctx context.Context, product string, _ []string, each index.EachItem) error {
			all := []key.Partition{key.PartitionAll(product)}
			return index.EachIn(ctx, p.t, all, func(it table.Item, _ *item.Stored) error {
				comment, err := item.Read(it, product)
				if err != nil {
					return err
				}
				return each(it, &comment)
			})
		},
		Name: func(unit string) string { return "copies in " + unit },
	}.Verify(now, share)}
}

// productOf returns the product of a comment that is published, or of a copy.
var productOf = index.OfProducts(func(pk string) (product string) {
	product, _, _, _ = key.ParsePowerSet(pk)
	return product
})

// entriesOf returns the expected copies of a comment, or the one copy that an item is. It
// returns none while the product's copies are being written or removed.
func (p *PowerSets) entriesOf(ctx context.Context, now settings.Settings, it table.Item,
	comment *item.Stored) (all []index.Entry, err error) {
	product := productOf(it, comment)
	state := now.PowerSets[product]
	switch {
	case comment == nil && (state == settings.IndexReadable || state == settings.IndexAbsent):
		read, err := item.Read(it, product)
		if err != nil {
			return nil, err
		}
		digest, err := p.digest(ctx, &read)
		return []index.Entry{{Unit: unitOf(product, table.Text(it, key.PK)), Digest: digest, N: -1}}, err
	case comment != nil && state == settings.IndexReadable:
		keys := keysOf(comment)
		read, err := item.Read(copyOf(&index.Image{Stored: *comment, Item: it}, keys[0]), product)
		if err != nil {
			return nil, err
		}
		digest, err := p.digest(ctx, &read)
		for _, at := range keys {
			all = append(all, index.Entry{Unit: unitOf(product, at.PK), Digest: digest, N: 1})
		}
		return all, err
	}
	return nil, nil
}

// unitOf returns the part of a copy's partition key that is behind the product.
func unitOf(product, pk string) string { return strings.TrimPrefix(pk, key.Product(product)+"/") }

// eachCopy calls each with the copies in some partitions of a product.
func (p *PowerSets) eachCopy(ctx context.Context, product string, units []string, each index.EachItem) error {
	var partitions []key.Partition
	for _, unit := range units {
		partitions = append(partitions, key.Partition{Index: key.Table, Value: key.Product(product) + "/" + unit})
	}
	return index.EachIn(ctx, p.t, partitions, each)
}

// digest stands for what a copy shows of a comment, however its texts are packed: copies
// that were packed later, or with another dictionary, are right.
func (p *PowerSets) digest(ctx context.Context, c *item.Stored) (uint64, error) {
	if err := c.UnpackWith(ctx, p.settings); err != nil {
		return 0, err
	}
	plain := item.Encode(c, nil)
	shown := table.Item{key.SK: table.S(c.SortKey), "elsewhere": table.Bool(c.TextElsewhere)}
	for _, name := range item.Projected {
		if value, ok := plain[name]; ok {
			shown[name] = value
		}
	}
	return index.Digest(shown), nil
}
