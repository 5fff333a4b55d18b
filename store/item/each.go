package item

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Each calls each with every comment of a product, oldest first, as the index
// all has it: a comment that was written a moment ago may be missing. It returns
// the first error of each, or an Unavailable error if the store does not answer.
func Each(ctx context.Context, t *table.Table, product string, each func(*Stored) error) error {
	return t.Each(ctx, key.PartitionAll(product), func(it table.Item) error {
		c, err := Read(it, product)
		if err != nil {
			return err
		}
		return each(&c)
	})
}
