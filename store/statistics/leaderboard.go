package statistics

import (
	"context"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/table"
)

// Ranks reads so many products with comments rated 5 of a range of the
// leaderboard of a language, or of any if it is empty; fewer only if the range
// holds no more. It returns an Unavailable error if the store does not answer or
// the statistics are not kept.
func (s *Statistics) Ranks(ctx context.Context, language string, r list.Range[key.Rank], limit int) ([]key.Rank, error) {
	now, err := s.settings.Recent(ctx)
	if err != nil {
		return nil, err
	}
	if err := now.Trusted(); err != nil || r.Empty() { // DynamoDB refuses to start outside of the range
		return nil, err
	}
	board := key.Leaders(language)
	q := table.Query{Partition: board, Descending: r.Descending}
	if r.Until != nil {
		q.Until = r.Until.SortKey()
	}
	if r.After != nil {
		q.After = board.StartKey(r.After.SortKey(), r.After.ProductID)
	}
	var ranks []key.Rank
	for len(ranks) < limit {
		q.Limit = limit - len(ranks)
		items, last, err := s.t.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			rank, ok := key.ParseRank(table.Text(it, board.Index.SortKey))
			if !ok {
				return nil, table.Damaged(it, errs.Errorf(errs.Internal, "its %s is no rank", board.Index.SortKey))
			}
			ranks = append(ranks, rank)
		}
		if last == nil {
			break
		}
		q.After = last
	}
	return ranks, nil
}
