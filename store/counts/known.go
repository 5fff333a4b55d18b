package counts

import (
	"context"
	"time"

	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/stats"
)

// The statistics that plans are priced with are this old at most, and take so much memory.
const (
	plannedAge   = 5 * time.Second
	plannedBytes = 16 << 20
)

// Known returns what statistics say of a filter, with the languages that Languages returned,
// before its page is planned. It never fails: what cannot be read is not known, which costs
// more read units and changes no page.
func (s *Statistics) Known(ctx context.Context, f plan.Filter, now settings.Settings) plan.Known {
	if now.State != settings.StateKept {
		return plan.Known{}
	}
	scope, language := stats.Scope{ProductID: f.ProductID}, f.Languages.One()
	one := !f.OfAll() && f.Which().All() && (f.Languages.Any() || language != "")
	if one { // a small item says all
		scope.Language = language
	}
	it, err := s.planned(ctx, scope, now.Generation)
	if err != nil {
		return plan.Known{}
	}
	counted := it.atGeneration(now.Generation)
	if one {
		return plan.Known{Counts: plan.Counts{Tally: counted.Tally, Sizes: counted.Sizes}}
	}
	out := plan.Known{Counts: countsOf(counted, language, f.Which()), Of: map[string]plan.Counts{}}
	if f.OfAll() {
		out.All = countsOf(counted, "", f.Which())
	}
	for _, language := range f.Languages.List() {
		out.Of[language] = countsOf(counted, language, f.Which())
	}
	return out
}

// countsOf is what the statistics of a product say of a language, or of any.
func countsOf(counted stats.Measured, language string, which stats.Which) plan.Counts {
	d := counted.Details[language]
	c := plan.Counts{Tally: d.Of(0, 0), Sizes: stats.Sizes{Bytes: d.Bytes, Largest: counted.Largest}, Wanted: d.Of(0, which)}
	if language == "" {
		c.Tally, c.Bytes = counted.Tally, counted.Bytes
		for _, d := range counted.Details {
			for i, n := range d.Of(0, which) {
				c.Wanted[i] += n
			}
		}
	}
	return c
}

// planned reads a scope's statistics for planning: half a read unit, and nothing if
// they were read lately.
func (s *Statistics) planned(ctx context.Context, scope stats.Scope, generation int) (statisticsItem, error) {
	return s.shared(ctx, s.forPlans, countsKey{scope: scope, generation: generation})
}
