package powerset

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/errs"
	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// layout says where copies are under these settings, by partition.
func layout(now settings.Settings) index.Layout[string] {
	return index.Layout[string]{
		In: key.Table, Generation: now.Generation, Same: sameCopy,
		Places: func(im *index.Image) map[string]index.Place {
			if !now.PowerSets[im.ProductID].Kept() {
				return nil
			}
			out := make(map[string]index.Place, copiesOfComment)
			for _, at := range placesOf(&im.Stored) {
				out[at.PK] = at
			}
			return out
		},
		Entry: func(im *index.Image, _ string, at index.Place) table.Item {
			return copyOf(im, at, now.Generation)
		},
	}
}

// Touches implements index.Index: copies, and the control item of their product.
func (p *PowerSets) Touches(now settings.Settings, c index.Change) []index.Place {
	all := layout(now).Touches(c)
	if len(all) > 0 {
		all = append(all, index.Place{PK: key.Product(c.Subject().Product), SK: key.PowerSetSK})
	}
	return all
}

// Flush returns the copies to write, on the condition that they are still kept.
func (p *PowerSets) Flush(ctx context.Context, now settings.Settings, changes []index.Change) (writes []table.Write, _ [][]table.Write, err error) {
	l, products := layout(now), map[string]bool{}
	for _, h := range index.Fold(changes...) {
		moves := l.Moves(h)
		for _, in := range slices.Sorted(maps.Keys(moves)) {
			writes = append(writes, l.Writes(h.Last(), in, moves[in])...)
			products[h.Product] = true
		}
	}
	checks, err := p.checks(ctx, slices.Sorted(maps.Keys(products)))
	return append(writes, checks...), nil, err
}

// checks returns the conditions that the copies of products are still kept.
func (p *PowerSets) checks(ctx context.Context, products []string) (checks []table.Write, err error) {
	for _, product := range products {
		revision, err := p.revision(ctx, product)
		if errs.CodeOf(err) == errs.Conflict {
			return nil, index.ErrOutdated
		}
		if err != nil {
			return nil, err
		}
		checks = append(checks, table.Write{Key: controlKey(product)}.IfRevision(attrRevision, revision))
	}
	return checks, nil
}
