package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/list"
)

// RankWindow is a stretch of a leaderboard, most fives first.
type RankWindow = list.Window[key.Rank]

// Leaderboard reads a window of the products with comments rated 5 in a
// language, or in any if it is empty: most such comments first, products with
// as many in descending order of their ids. It returns an Unavailable error if
// the store does not answer or the statistics are not kept.
func (s *Store) Leaderboard(ctx context.Context, language string, w RankWindow) (list.Page[key.Rank], error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return list.Page[key.Rank]{}, err
	}
	if err := meta.trusted(); err != nil {
		return list.Page[key.Rank]{}, err
	}
	ranks, err := s.ranks(ctx, key.Leaders(language), w.Range(), w.Limit+1)
	if err != nil {
		return list.Page[key.Rank]{}, err
	}
	return list.PageOf(w, ranks), nil
}

// ranks reads so many ranks of a range, fewer only if it holds no more.
func (s *Store) ranks(ctx context.Context, board key.Partition, r list.Range[key.Rank], limit int) ([]key.Rank, error) {
	if r.Empty() { // DynamoDB refuses to start outside of the range
		return nil, nil
	}
	in := &dynamodb.QueryInput{
		TableName: &s.table, IndexName: &board.Index.Name,
		KeyConditionExpression:    aws.String(board.Index.PartitionKey + " = :board"),
		ExpressionAttributeValues: item{":board": str(board.Value)},
		ScanIndexForward:          aws.Bool(!r.Descending),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if r.Until != nil {
		beyond := " < :until"
		if r.Descending {
			beyond = " > :until"
		}
		in.KeyConditionExpression = aws.String(*in.KeyConditionExpression + " AND " + board.Index.SortKey + beyond)
		in.ExpressionAttributeValues[":until"] = str(r.Until.SortKey())
	}
	if r.After != nil {
		in.ExclusiveStartKey = item{}
		for name, value := range r.After.StartKey(board) {
			in.ExclusiveStartKey[name] = str(value)
		}
	}
	var ranks []key.Rank
	for len(ranks) < limit {
		in.Limit = aws.Int32(int32(limit - len(ranks)))
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
