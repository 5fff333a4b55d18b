package counts

import (
	"context"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/read/plan"
	"product-comments/store/settings"
)

// The maximum age, and the maximum memory, of the cached statistics for estimates of plans.
const (
	plannedAge   = 5 * time.Second
	plannedBytes = 16 << 20
)

// Known returns the statistics for planning a page of a filter, whose languages must come from
// Languages. It never fails: without statistics the plan may cost more read units, but the page is
// the same.
func (s *Statistics) Known(ctx context.Context, f plan.Filter, now settings.Settings) plan.Known {
	if now.State != settings.StateKept {
		return plan.Known{}
	}
	scope, one := scopeFor(f)
	language := f.Languages.One()
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
	if f.WithPhotos {
		out.Photos = countsOf(counted, "", stats.Photos).Wanted
	}
	for _, language := range f.Languages.List() {
		out.Of[language] = countsOf(counted, language, f.Which())
	}
	return out
}

// scopeFor returns the statistics of a product that plan a page of a filter. one is true if a small
// item is enough, of the only language.
func scopeFor(f plan.Filter) (scope stats.Scope, one bool) {
	language := f.Languages.One()
	one = !f.OfAll() && f.Which().All() && (f.Languages.Any() || language != "") && !f.Regions
	if scope.ProductID = f.ProductID; one {
		scope.Language = language
	}
	return scope, one
}

// Prepare reads with one call what Known and Languages need of the products of a family. It ignores
// errors, which these meet again.
func (s *Statistics) Prepare(ctx context.Context, f plan.Filter, now settings.Settings) {
	var missing []stats.Scope
	for _, product := range f.Products() {
		scope, _ := scopeFor(f.OfProduct(product))
		if _, ok := s.forPlans.Kept(countsKey{scope: scope, generation: now.Generation}); !ok {
			missing = append(missing, scope)
		}
	}
	if len(missing) < 2 {
		return
	}
	read, err := s.read(ctx, missing, false)
	for i := 0; i < len(missing) && err == nil; i++ {
		k := countsKey{scope: missing[i], generation: now.Generation}
		_, err = s.forPlans.Do(ctx, k, func(context.Context) (statisticsItem, error) { return read[k.scope], nil }, always)
	}
}

// countsOf returns the counts of a language, or of all languages, from a product's statistics.
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

// planned returns a scope's statistics for planning. It costs half a read unit, or nothing if they
// are cached.
func (s *Statistics) planned(ctx context.Context, scope stats.Scope, generation int) (statisticsItem, error) {
	return s.shared(ctx, s.forPlans, countsKey{scope: scope, generation: generation})
}
