package counts

import (
	"context"
	"fmt"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// read reads the existing items of scopes.
func (s *Statistics) read(ctx context.Context, of []stats.Scope, consistent bool) (map[stats.Scope]statisticsItem, error) {
	keys, by := make([]index.Key, len(of)), make(map[index.Key]stats.Scope, len(of))
	for i, scope := range of {
		keys[i] = primaryKey(scope)
		by[keys[i]] = scope
	}
	out := make(map[stats.Scope]statisticsItem, len(of))
	return out, index.ReadSums(ctx, s.t, keys, consistent, func(at index.Key, it table.Item) (err error) {
		out[by[at]], err = parse(by[at], it)
		return err
	})
}

// Name implements index.Index.
func (s *Statistics) Name() string { return "statistics" }

// Sums implements index.Sums. It returns a Delta of the product for every change of a comment,
// since page numbers may change. A product's statistics also have the names of writes that change
// its attribute index.
func (s *Statistics) Sums(_ context.Context, _ settings.Settings, c index.Change) (all []index.Delta, err error) {
	before, after := countedOf(c.Before), countedOf(c.After)
	sums := stats.Deltas{}
	sums.Change(before, after, 0)
	for scope, delta := range sums {
		named := !before.SameKind(after)
		for _, im := range []*index.Image{c.Before, c.After} {
			named = named || im != nil && im.Defined != "" && scope == stats.Scope{ProductID: im.ProductID}
		}
		all = append(all, index.Delta{At: primaryKey(scope), Sum: &change{s, scope, delta}, Named: named})
	}
	return all, nil
}

// countedOf returns the comment of an image for statistics, nil for none.
func countedOf(im *index.Image) *stats.Counted {
	if im == nil {
		return nil
	}
	return new(im.Counted())
}

// SumOf implements index.Sums, for an item of statistics or an entry of the leaderboard by score.
func (s *Statistics) SumOf(it table.Item) (zero index.Delta, ok bool) {
	scope, ok := scopeOf(it)
	if !ok {
		if scope.ProductID, ok = key.ProductID(table.Text(it, key.PK)); ok {
			scope.Language, ok = key.ParseScoreSK(table.Text(it, key.SK))
		}
	}
	return index.Delta{At: primaryKey(scope), Sum: &change{s, scope, &stats.Delta{}}}, ok
}

// change is a change of a scope's statistics.
type change struct {
	s     *Statistics
	scope stats.Scope
	*stats.Delta
}

// Add implements index.Sum.
func (c *change) Add(o index.Sum) { c.Delta.Add(o.(*change).Delta) }

// Apply implements index.Sum.
func (c *change) Apply(_ context.Context, now settings.Settings, it *index.SumItem) error {
	old, err := parse(c.scope, it.Was)
	if err != nil {
		return err
	}
	after, err := old.atGeneration(now.Generation).After(c.Delta)
	if err != nil {
		return fmt.Errorf("the statistics of product %q, language %q: %w", c.scope.ProductID, c.scope.Language, err)
	}
	old.pages = old.pagesAs(c.scope, now.Generation, !now.LeavesPages())
	it.Put, it.Zero = c.s.spell(c.scope, old, after, now.Scoring, now.Generation), after.Total() == 0
	it.Also = append(it.Also, entryWrites(c.scope, old, it.Put, now.Generation)...)
	return nil
}
