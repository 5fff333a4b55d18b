package counts

import (
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// A product with enough comments has an entry in the leaderboard by score, for all comments or for
// the comments of a language. The entry is a separate item, since an item has one sort key in an
// index, and the item of statistics is in the leaderboard by comments rated 5. The entry is
// written in the transaction of the statistics, which contain its score.

// scoreOf returns the score of a product with these counts, 0 for too few comments.
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

// entryWrites returns the write of a scope's entry for the new item of its statistics, none if the
// entry does not change. The write needs no condition of its own: it belongs to the transaction of
// that item.
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
