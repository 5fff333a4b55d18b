package store

import (
	"context"
	"errors"
	"slices"

	"product-comments/store/comment/stats"
	"product-comments/store/read/exec"
	"product-comments/store/read/plan"
	"product-comments/store/read/shared"
	"product-comments/store/table"
)

// CountMatching reads and counts the comments that match a filter's attributes and creation times;
// it ignores the filter's other fields. It reads at most as many bytes as a page: about 1 MB of
// comments. The counts are nil if that is too little. Calls share reads like calls of Page, and the
// first caller pays. It returns an Unavailable error if an index is being built.
func (s *Store) CountMatching(ctx context.Context, f plan.Filter) (stats.ByLanguage, error) {
	f = CountedAs(f)
	read := func(ctx context.Context) (stats.ByLanguage, error) { return s.countMatching(ctx, f) }
	if shared.IsFresh(ctx) {
		n, err := read(ctx)
		return n, table.Failed("count the comments", err)
	}
	k := s.pageKey(f)
	n, err := s.matching.Do(ctx, k, read, k.epoch.Settled)
	return n, table.Failed("count the comments", err)
}

// CountedAs returns a filter with the fields that CountMatching uses.
func CountedAs(f plan.Filter) plan.Filter {
	of := f.Unfiltered()
	of.Created, of.Attributes = f.Created, f.Attributes
	return of
}

func (s *Store) countMatching(ctx context.Context, f plan.Filter) (stats.ByLanguage, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	chosen, v, err := s.choose(ctx, f, Window{Limit: plan.Small})
	isSure := !slices.ContainsFunc(chosen.Conditions, func(c plan.Condition) bool { return !c.Exact })
	if err != nil || isSure && chosen.Estimate.Units > chosen.Bound {
		return nil, err
	}
	all, cost, err := exec.Page(ctx, chosen, Window{}.Range(), s.lists.Source(f, v))
	table.Spent(ctx, cost.Units, cost.RoundTrips)
	if errors.Is(err, exec.ErrBound) || len(all) > plan.Small {
		return nil, nil
	}
	counts := stats.ByLanguage{}
	for i := range all {
		c := all[i].Value.Counted()
		counts.Add(c.Language, c.Kind(), 1)
	}
	return counts, err
}

// matchingBytes estimates the memory of the counts of CountMatching.
func matchingBytes(k pageKey, n stats.ByLanguage) int {
	const fixed, language = 512, 320
	return fixed + len(k.filter.ProductID) + len(k.filter.Attributes) + language*len(n)
}
