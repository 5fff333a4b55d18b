package counts

import (
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
