package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/errs"
	"product-comments/store/exec"
	"product-comments/store/key"
)

// fetch returns how to query a partition that holds a product's comments.
func (s *Store) fetch(productID string) exec.Fetch[Comment] {
	return func(ctx context.Context, q exec.Request) (exec.Batch[Comment], error) {
		var batch exec.Batch[Comment]
		out, err := s.api.Query(ctx, s.queryInput(q))
		if err != nil {
			return batch, err
		}
		batch.Items = make([]exec.Item[Comment], len(out.Items))
		for i, it := range out.Items {
			c, err := commentOf(it, productID)
			if err != nil {
				return batch, damaged(it, err)
			}
			batch.Items[i] = exec.Item[Comment]{SortKey: it[key.GSISK].(*types.AttributeValueMemberS).Value, Value: c}
		}
		if len(out.LastEvaluatedKey) > 0 {
			last, _ := out.LastEvaluatedKey[key.GSISK].(*types.AttributeValueMemberS)
			if last == nil {
				return batch, errs.Errorf(errs.Internal, "a LastEvaluatedKey has no %s", key.GSISK)
			}
			next, ok := key.ParseSortKey(last.Value)
			if !ok {
				return batch, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the %s %q", key.GSISK, last.Value)
			}
			batch.Next = &next
		}
		if out.ConsumedCapacity != nil {
			batch.Units = aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
		}
		return batch, nil
	}
}

func damaged(it item, cause error) error {
	pk, _ := it[key.PK].(*types.AttributeValueMemberS)
	if pk == nil {
		return errs.Wrap(errs.Internal, cause, "an item has no key")
	}
	return errs.Wrap(errs.Internal, cause, "item %s", pk.Value)
}

func (s *Store) queryInput(q exec.Request) *dynamodb.QueryInput {
	condition := q.Partition.Index.PartitionKey + " = :partition"
	values := item{":partition": str(q.Partition.Value)}
	if q.Until != nil {
		compare := " < :until"
		if q.Descending {
			compare = " > :until"
		}
		condition += " AND " + key.GSISK + compare
		values[":until"] = str(q.Until.SortKey())
	}
	in := &dynamodb.QueryInput{
		TableName:                 &s.table,
		IndexName:                 &q.Partition.Index.Name,
		KeyConditionExpression:    &condition,
		ExpressionAttributeValues: values,
		ScanIndexForward:          aws.Bool(!q.Descending),
		Limit:                     aws.Int32(int32(q.Limit)),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if q.After != nil {
		in.ExclusiveStartKey = item{}
		for name, value := range q.After.StartKey(q.Partition) {
			in.ExclusiveStartKey[name] = str(value)
		}
	}
	return in
}
