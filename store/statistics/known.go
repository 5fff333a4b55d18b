package statistics

import (
	"context"

	"product-comments/store/plan"
	"product-comments/store/reads"
	"product-comments/store/settings"
	"product-comments/store/stats"
)

// Known returns what statistics say of a filter before its page is planned; its
// languages are those that Languages returned. It
// never fails: what cannot be read is not known, which costs more read units
// and changes no page.
func (s *Statistics) Known(ctx context.Context, f plan.Filter, now settings.Settings) plan.Known {
	if now.State != settings.StateKept {
		return plan.Known{}
	}
	if f.OfAll() || !f.Which().All() || f.Languages != "" && f.Languages.One() == "" {
		return s.knownOfSeveral(ctx, f, now)
	}
	scope := stats.Scope{ProductID: f.ProductID, Language: f.Languages.One()}
	k, ok := s.catalog.recent(scope, now.Generation, s.t.Now())
	if !ok {
		var err error
		// A read that others share may have begun before this process hinted.
		if k, err = s.learn(ctx, scope, now.Generation); err != nil || s.catalog.outdated(scope, k) {
			return plan.Known{}
		}
	}
	return plan.Known{Counts: plan.Counts{Empty: k.empty, Tally: k.counted.Tally, Sizes: k.counted.Sizes}}
}

// learn reads a scope's statistics for planning: half a read unit, and one more
// for the hints if a count is zero. A zero is believed only if there are
// statistics at all and no hint says otherwise.
func (s *Statistics) learn(ctx context.Context, scope stats.Scope, generation int) (knownScope, error) {
	return reads.Once(ctx, &s.learning, scope, func(ctx context.Context) (knownScope, error) {
		k := knownScope{at: s.t.Now(), generation: generation}
		read, err := s.read(ctx, []stats.Scope{scope}, nil, false)
		if err != nil {
			return k, err
		}
		if it := read.items[scope]; it.revision > 0 && it.generation == generation {
			k.counted, k.empty = it.Measured, it.Tally.Zeros()
		}
		if k.empty != 0 {
			read, err := s.read(ctx, nil, []string{scope.ProductID}, true)
			if err != nil {
				return k, err
			}
			k.empty &^= read.hints[scope.ProductID].ratings(scope.Language)
		}
		s.catalog.known.Add(scope, k)
		return k, nil
	})
}
