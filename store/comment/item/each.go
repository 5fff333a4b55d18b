package item

import (
	"context"
	"slices"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Each calls each with every comment of a product, oldest first, from the index all: a comment that
// was written a moment ago may be missing, and a comment whose time changes during the reading may
// come twice. It returns the first error of each.
func Each(ctx context.Context, t *table.Table, product string, each func(*Stored) error) error {
	return t.Each(ctx, key.PartitionAll(product), func(it table.Item) error {
		c, err := Read(it, product)
		if err != nil {
			return err
		}
		return each(&c)
	})
}

// EachWhole is Each with the comments' whole items, strongly consistent. It skips deleted
// comments, but not comments that have moved to another product or are unpublished since.
func EachWhole(ctx context.Context, t *table.Table, product string, each func(table.Item, *Stored) error) error {
	var ids []string
	err := Each(ctx, t, product, func(c *Stored) error {
		if !slices.Contains(ids, c.ID) {
			ids = append(ids, c.ID)
		}
		if len(ids) < table.MaxBatchGet {
			return nil
		}
		full := ids
		ids = nil
		return EachOf(ctx, t, full, each)
	})
	if err != nil {
		return err
	}
	return EachOf(ctx, t, ids, each)
}

// EachOf calls each with the existing comments among different ids, in any state and order,
// strongly consistent. It returns the first error of each.
func EachOf(ctx context.Context, t *table.Table, ids []string, each func(table.Item, *Stored) error) error {
	for some := range slices.Chunk(ids, table.MaxBatchGet) {
		var keys, found []table.Item
		for _, id := range some {
			keys = append(keys, table.Key(key.Comment(id)))
		}
		err := t.GetMany(ctx, keys, true, func(it table.Item) error {
			found = append(found, it)
			return nil
		})
		if err != nil {
			return err
		}
		for _, it := range found {
			if IsDeleted(it) {
				continue
			}
			c, err := Read(it, "")
			if err == nil {
				err = each(it, &c)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
