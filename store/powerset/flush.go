package powerset

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Touches implements index.Index: copies, and the control item of their product.
func (p *PowerSets) Touches(now settings.Settings, c index.Change) []index.Key {
	all := layout(now).Touches(c)
	if len(all) > 0 {
		all = append(all, index.Key{PK: key.Product(c.Subject().Product), SK: key.PowerSetSK})
	}
	return all
}

// Flush returns the copies to write, on the condition that they are still kept. Those of a
// product that is disabled are until its control item is gone.
func (p *PowerSets) Flush(ctx context.Context, now settings.Settings,
	changes []index.Change) (writes []table.Write, _ [][]table.Write, err error) {
	l, of := layout(now), map[string][]table.Write{}
	for _, h := range index.Fold(changes...) {
		moves := l.Moves(h)
		for _, in := range slices.Sorted(maps.Keys(moves)) {
			of[h.Product] = append(of[h.Product], l.Writes(h.Last(), in, moves[in])...)
		}
	}
	for _, product := range slices.Sorted(maps.Keys(of)) {
		revision, err := p.revision(ctx, product)
		switch {
		case err != nil:
			return nil, nil, err
		case revision > 0:
			writes = append(append(writes, of[product]...),
				table.Write{Key: controlKey(product)}.IfRevision(attrRevision, revision))
		case now.PowerSets[product] != settings.IndexDisabled:
			return nil, nil, index.ErrOutdated
		}
	}
	return writes, nil, nil
}

// FinishRebuild lets copies be read that were being made: a rebuild has made all of them.
func (p *PowerSets) FinishRebuild(s *settings.Settings) {
	for product, state := range s.PowerSets {
		if state == settings.IndexBuilding {
			s.PowerSets[product] = settings.IndexReadable
		}
	}
}

// Owns implements index.Index.
func (p *PowerSets) Owns(it table.Item) bool {
	_, _, _, ok := key.ParsePowerSet(table.Text(it, key.PK))
	return ok
}
