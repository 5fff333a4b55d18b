package statistics

import (
	"context"

	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/ranking"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/table"
)

// A product with enough comments has an entry in the leaderboard by score, of all comments
// or of a language's. It is an item of its own, since an item has one sort key in an index,
// and the statistics' own is that of the comments rated 5. It is written together with the
// statistics, which note its score, as rarely as other places; so it follows from them.

// scoreOf returns the score of a product with such comments, 0 if it has too few.
func scoreOf(s settings.Scoring, t stats.Tally) int {
	s = s.OrDefault()
	sum := 0
	for i, n := range t {
		sum += (i + 1) * n
	}
	if t.Total() < s.Least {
		return 0
	}
	return ranking.Score(s.Mean, s.Weight, t.Total(), sum)
}

func entryKey(scope stats.Scope) table.Item {
	return table.KeyOf(key.Product(scope.ProductID), key.ScoreSK(scope.Language))
}

// entryOf returns the entry of a scope with a score.
func entryOf(scope stats.Scope, score, generation int) table.Item {
	it, board := entryKey(scope), key.Scores(scope.Language)
	it[board.Index.PartitionKey] = table.S(board.Value)
	it[board.Index.SortKey] = table.S(key.Rank{Number: score, ProductID: scope.ProductID}.SortKey())
	if generation > 0 {
		it[item.AttrGeneration] = table.N(generation)
	}
	return it
}

// entryWrites returns the change of the entry of a scope whose statistics become an item:
// none if it stays as it is. It rests on the condition of the write of that item.
func entryWrites(scope stats.Scope, old statisticsItem, to table.Item, generation int) []table.Write {
	score, err := table.Number(to, attrScore)
	switch {
	case err != nil || score == 0:
		if old.score == 0 {
			return nil
		}
		return []table.Write{{Key: entryKey(scope), Delete: true}}
	case score == old.score && generation == old.Generation:
		return nil
	}
	return []table.Write{{Put: entryOf(scope, score, generation)}}
}

// verifyEntries compares the entries of products with their statistics, which are compared
// with the comments.
func (s *Statistics) verifyEntries(now settings.Settings, share *index.Share) index.Verifier {
	return index.Entries{
		About: "product", Shared: true,
		Subject: func(it table.Item, comment *item.Stored) string {
			if product, ok := key.ProductID(table.Text(it, key.PK)); ok && comment == nil && s.Owns(it) {
				return product
			}
			return ""
		},
		Of: s.entriesOf,
		Sources: func(ctx context.Context, product string, _ []string, each index.EachItem) error {
			return index.EachIn(ctx, s.t, []key.Partition{{Index: key.Table, Value: key.Product(product)}}, each)
		},
		Name: func(unit string) string { return unit },
	}.Verify(now, share)
}

// entriesOf returns the entry that statistics demand, or the one that an item is. Another
// one than the score of the comments, which is in no item, is demanded of statistics that
// note another score without a reason.
func (s *Statistics) entriesOf(_ context.Context, now settings.Settings, it table.Item, _ *item.Stored) (all []index.Entry, err error) {
	scope, ok := scopeOf(it)
	if !ok {
		return []index.Entry{{Unit: table.Text(it, key.SK), Digest: index.Digest(it), N: -1}}, nil
	}
	read, err := parse(scope, it)
	if err != nil || read.Generation < now.Generation {
		return nil, err
	}
	unit, want := key.ScoreSK(scope.Language), scoreOf(now.Scoring, read.Tally)
	if now.Scored() != nil || read.pending && within(read.placed, s.t.Now(), s.placeAge+overdue) {
		want = read.score
	}
	if read.score > 0 {
		all = append(all, index.Entry{Unit: unit, Digest: index.Digest(entryOf(scope, read.score, 0)), N: 1})
	}
	if read.score != want {
		all = append(all, index.Entry{Unit: unit, N: 1})
	}
	return all, nil
}
