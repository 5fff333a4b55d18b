package statistics

import (
	"context"
	"fmt"

	"product-comments/store/index"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// items says how statistics are kept, but for Add.
func (s *Statistics) items() index.Aggregate[stats.Scope, statisticsItem, *stats.Delta] {
	return index.Aggregate[stats.Scope, statisticsItem, *stats.Delta]{
		Table: s.t, Compare: stats.Scope.Compare, Key: primaryKey, Parse: parse, IsZero: (*stats.Delta).IsZero,
	}
}

// countedIn returns an image as it is counted in a generation, nil for none.
func countedIn(generation int, im *index.Image) *stats.Counted {
	if im == nil || im.Generation < generation {
		return nil
	}
	c := im.Counted()
	return &c
}

// Touches implements index.Index. Entries of the leaderboard by score are left out: few
// products have one that is due, and room for them would make transactions smaller for all.
func (s *Statistics) Touches(now settings.Settings, c index.Change) (all []index.Key) {
	for _, image := range []*index.Image{c.Before, c.After} {
		for _, scope := range countedIn(now.Generation, image).Scopes() {
			all = append(all, index.Key{PK: key.Product(scope.ProductID), SK: key.StatisticsSK(scope.Language)})
		}
	}
	if s.pages != nil && len(all) > 0 {
		all = append(all, s.pages.Touches(now, c)...)
	}
	return all
}

// Flush returns the statistics with what changes add and take away, and page numbers with
// them.
func (s *Statistics) Flush(ctx context.Context, now settings.Settings, changes []index.Change) (writes []table.Write, _ [][]table.Write, err error) {
	var entries []table.Write
	items := s.items()
	items.Add = func(scope stats.Scope, old statisticsItem, change *stats.Delta, generation int) (table.Item, bool, error) {
		after, err := old.atGeneration(generation).After(change)
		if err != nil {
			return nil, false, fmt.Errorf("the statistics of product %q, language %q: %w", scope.ProductID, scope.Language, err)
		}
		if after.Total() == 0 {
			old.pages = tree.State{}
		}
		it := s.spell(scope, old, after, now.Scoring, generation)
		entries = append(entries, entryWrites(scope, old, it, generation)...)
		return it, after.Total() == 0, nil
	}
	rows := movesOf{}
	items.Related = func(ctx context.Context, scope stats.Scope, old statisticsItem, change *stats.Delta, generation int) (statisticsItem, []table.Write, error) {
		if scope.Language != "" || s.pages == nil {
			return old, nil, nil
		}
		return s.withPages(ctx, scope.ProductID, old, change, rows[scope.ProductID], generation, !now.LeavesPages())
	}
	writes, err = items.Flush(ctx, now.Generation, changes, func(c index.Change, sums map[stats.Scope]*stats.Delta) ([]stats.Scope, error) {
		before, after := countedIn(now.Generation, c.Before), countedIn(now.Generation, c.After)
		stats.Deltas(sums).Change(before, after, now.Generation)
		named := stats.Effects(before, after, now.Generation).Scopes()
		for _, image := range []*index.Image{c.Before, c.After} {
			// Its columns follow the named write also if that changes no count.
			if image != nil && image.Defined != "" && image.Generation >= now.Generation {
				named = append(named, stats.Scope{ProductID: image.ProductID})
			}
		}
		if before != nil && after != nil && !c.Before.CreatedAt.Equal(c.After.CreatedAt) {
			scope := stats.Scope{ProductID: c.After.ProductID}
			sums[scope].Moved, named = true, append(named, scope)
		}
		rows.add(c, before, after)
		return named, nil
	})
	return append(writes, entries...), nil, err
}

// Owns implements index.Index.
func (s *Statistics) Owns(it table.Item) bool {
	_, counts := key.ParseStatisticsSK(table.Text(it, key.SK))
	_, score := key.ParseScoreSK(table.Text(it, key.SK))
	return counts || score
}

// FinishRebuild notes that all places of the leaderboard by score were written again. The
// scoring does not change during a rebuild.
func (s *Statistics) FinishRebuild(now *settings.Settings) {
	now.Scorings = max(now.Scorings, 1)
	now.Ranked = now.Scorings
}
