package store

import (
	"context"

	"product-comments/store/plan"
	"product-comments/store/stats"
)

// know returns what can be said of a filter's product before its page is
// planned. It never fails: what cannot be read is not known, which costs more
// read units and changes no page.
func (s *Store) know(ctx context.Context, f plan.Filter) plan.Known {
	if len(f.Ratings.List()) < 2 {
		return plan.Known{} // one query, whatever is known
	}
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return plan.Known{}
	}
	known := plan.Known{PowerSet: meta.PowerSets[f.ProductID] == PowerSetReady && !s.catalog.wroteRecently(f.ProductID, s.now())}
	if meta.State != StateKept {
		return known
	}
	scope := stats.Scope{ProductID: f.ProductID, Language: f.Language}
	k, ok := s.catalog.recent(scope, meta.Generation, s.now())
	if !ok {
		// A read that others share may have begun before this process hinted.
		if k, err = s.learn(ctx, scope, meta.Generation); err != nil || s.catalog.outdated(scope, k) {
			return known
		}
	}
	known.Empty, known.Tally, known.Sizes = k.empty, k.counted.Tally, k.counted.Sizes
	return known
}

// learn reads a scope's statistics for planning: half a read unit, and one
// more for the hints if a count is zero. A zero is believed only if there are
// statistics at all and no hint says otherwise.
func (s *Store) learn(ctx context.Context, scope stats.Scope, generation int) (knownScope, error) {
	return once(ctx, &s.learning, scope, func(ctx context.Context) (knownScope, error) {
		ctx, cancel := s.deadline(ctx)
		defer cancel()
		k := knownScope{at: s.now(), generation: generation}
		items, err := s.statisticsItems(ctx, []stats.Scope{scope}, false)
		if err != nil {
			return k, err
		}
		if it := items[scope]; it.revision > 0 && it.generation == generation {
			k.counted, k.empty = it.Measured, it.Tally.Zeros()
		}
		if k.empty != 0 {
			hints, err := s.readStatistics(ctx, nil, []string{scope.ProductID}, true)
			if err != nil {
				return k, err
			}
			k.empty &^= hints.hints[scope.ProductID].ratings(scope.Language)
		}
		s.catalog.remember(scope, k)
		return k, nil
	})
}
