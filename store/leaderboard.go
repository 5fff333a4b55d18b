package store

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
)

// RankWindow is a stretch of a leaderboard, most fives first. Both ends are
// exclusive; nil is open.
type RankWindow struct {
	Limit         int
	Backward      bool // take the last of the range instead of the first
	After, Before *key.Rank
}

// RankPage is a stretch of a leaderboard, most fives first also when it was
// read backward. HasNext and HasPrevious are those of Page.
type RankPage struct {
	Ranks                []key.Rank
	HasNext, HasPrevious bool
}

// Leaderboard reads a window of the products with comments rated 5 in a
// language, or in any if it is empty: most such comments first, products with
// as many in descending order of their ids. It returns an Unavailable error if
// the store does not answer or the statistics are not kept.
func (s *Store) Leaderboard(ctx context.Context, language string, w RankWindow) (RankPage, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return RankPage{}, err
	}
	if err := meta.trusted(); err != nil {
		return RankPage{}, err
	}
	var page RankPage
	if !w.empty() {
		if page.Ranks, err = s.ranks(ctx, language, w); err != nil {
			return RankPage{}, err
		}
	}
	more := len(page.Ranks) > w.Limit
	page.Ranks = page.Ranks[:min(len(page.Ranks), w.Limit)]
	if w.Backward {
		slices.Reverse(page.Ranks)
		page.HasNext, page.HasPrevious = w.Before != nil, more || w.After != nil
	} else {
		page.HasNext, page.HasPrevious = more || w.Before != nil, w.After != nil
	}
	return page, nil
}

// empty tells whether nothing can lie between the ends.
func (w RankWindow) empty() bool {
	return w.After != nil && w.Before != nil && w.After.SortKey() <= w.Before.SortKey()
}

// ranks reads one more than the window's limit, if there are as many.
func (s *Store) ranks(ctx context.Context, language string, w RankWindow) ([]key.Rank, error) {
	board := key.Leaders(language)
	start, end, beyond := w.After, w.Before, " > :end"
	if w.Backward {
		start, end, beyond = w.Before, w.After, " < :end"
	}
	in := &dynamodb.QueryInput{
		TableName: &s.table, IndexName: &board.Index.Name,
		KeyConditionExpression:    aws.String(board.Index.PartitionKey + " = :board"),
		ExpressionAttributeValues: item{":board": str(board.Value)},
		ScanIndexForward:          aws.Bool(w.Backward),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if end != nil {
		in.KeyConditionExpression = aws.String(*in.KeyConditionExpression + " AND " + board.Index.SortKey + beyond)
		in.ExpressionAttributeValues[":end"] = str(end.SortKey())
	}
	if start != nil {
		in.ExclusiveStartKey = item{}
		for name, value := range start.StartKey(language) {
			in.ExclusiveStartKey[name] = str(value)
		}
	}
	var ranks []key.Rank
	for len(ranks) <= w.Limit {
		in.Limit = aws.Int32(int32(w.Limit + 1 - len(ranks)))
		out, err := s.api.Query(ctx, in)
		if err != nil {
			return nil, failed("read the leaderboard", err)
		}
		meterCall(ctx, out.ConsumedCapacity)
		for _, it := range out.Items {
			rank, ok := key.ParseRank(text(it, board.Index.SortKey))
			if !ok {
				return nil, damagedItem(it, errs.Errorf(errs.Internal, "its %s is no rank", board.Index.SortKey))
			}
			ranks = append(ranks, rank)
		}
		if len(out.LastEvaluatedKey) == 0 {
			break
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
	return ranks, nil
}
