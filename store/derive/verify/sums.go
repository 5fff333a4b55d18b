package verify

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// sumsOf returns the sums of a comment, or of a tombstone, by item and index.
func (v *verification) sumsOf(ctx context.Context, now settings.Settings, c *item.Stored, it table.Item) (map[index.Key][]index.Sum, error) {
	im := &index.Image{Stored: *c, Item: it}
	change := index.Change{ID: c.ID, Is: im}
	switch {
	case item.IsDeleted(it):
		change.Is, change.Left = nil, im
	case c.State == item.Published:
		change.After = im
	}
	sums := map[index.Key][]index.Sum{}
	for n, x := range v.sums {
		deltas, err := x.Sums(ctx, now, change)
		if err != nil {
			return nil, err
		}
		for _, d := range deltas {
			v.add(sums, n, d)
		}
	}
	return sums, nil
}

func (v *verification) add(sums map[index.Key][]index.Sum, n int, d index.Delta) {
	if sums[d.At] == nil {
		sums[d.At] = make([]index.Sum, len(v.sums))
	}
	if sums[d.At][n] == nil {
		sums[d.At][n] = d.Sum
	} else {
		sums[d.At][n].Add(d.Sum)
	}
}

// diffSums compares the sums of a partition with its comments.
func (v *verification) diffSums(ctx context.Context, now settings.Settings, pk string) (differences []string, err error) {
	want := map[index.Key][]index.Sum{}
	err = v.eachIn(ctx, pk, func(it table.Item, c *item.Stored) error {
		sums, err := v.sumsOf(ctx, now, c, it)
		for at, of := range sums {
			for n, sum := range of {
				if at.PK == pk && sum != nil {
					v.add(want, n, index.Delta{At: at, Sum: sum})
				}
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	items := map[index.Key]table.Item{}
	err = v.t.Each(ctx, key.Partition{Index: key.Table, Value: pk}, func(it table.Item) error {
		items[index.KeyOf(it)] = it
		for n, x := range v.sums {
			if zero, ok := x.SumOf(it); ok {
				v.add(want, n, zero)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, at := range slices.SortedFunc(maps.Keys(want), index.Key.Compare) {
		is, err := index.SumItemOf(at, items[at])
		if err != nil {
			return nil, err
		}
		what, err := v.diffItem(ctx, now, is, want[at])
		if err != nil {
			return nil, err
		}
		for _, what := range what {
			differences = append(differences, at.SK+": "+what)
		}
	}
	return differences, nil
}

// diffItem compares an item of sums with the sums of its comments, by index.
func (v *verification) diffItem(ctx context.Context, now settings.Settings, is *index.SumItem, want []index.Sum) (differences []string, err error) {
	if is.Was != nil && is.Generation < now.Generation {
		differences = append(differences, "it is obsolete: the last rebuild did not write it")
	}
	for _, sum := range want {
		if sum == nil {
			continue
		}
		what, err := sum.Diff(ctx, now, is)
		if err != nil {
			return nil, err
		}
		differences = append(differences, what...)
	}
	return differences, nil
}

// eachIn calls each with the comments that the sums of a partition count.
func (v *verification) eachIn(ctx context.Context, pk string, each index.EachItem) error {
	if product, ok := key.ProductID(pk); ok {
		met := map[string]bool{}
		return item.EachWhole(ctx, v.t, product, func(it table.Item, c *item.Stored) error {
			if met[c.ID] || index.Published(c) != product {
				return nil
			}
			met[c.ID] = true
			if err := v.spend(ctx, 1); err != nil {
				return err
			}
			return each(it, c)
		})
	}
	for _, x := range v.sums {
		if x, ok := x.(index.Spread); ok {
			return x.Comments(ctx, pk, each)
		}
	}
	return nil
}
