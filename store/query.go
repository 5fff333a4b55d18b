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
		decoded := &decodedBatch{productID: productID}
		out, err := s.api.Query(context.WithValue(ctx, batchKey{}, decoded), s.queryInput(q), decodeComments)
		if err != nil || decoded.done {
			return decoded.Batch, err
		}
		return batchOf(out, productID) // a client that is not the SDK's
	}
}

// batchOf reads an answer that the SDK has unmarshalled.
func batchOf(out *dynamodb.QueryOutput, productID string) (batch exec.Batch[Comment], err error) {
	batch.Items = make([]exec.Item[Comment], len(out.Items))
	for i, it := range out.Items {
		c, err := commentOf(it, productID)
		if err != nil {
			return batch, damagedItem(it, err)
		}
		batch.Items[i] = exec.Item[Comment]{SortKey: c.Position().SortKey(), Value: c}
	}
	if last, ok := out.LastEvaluatedKey[key.GSISK].(*types.AttributeValueMemberS); ok {
		if batch.Next, err = nextPosition(last.Value); err != nil {
			return batch, err
		}
	}
	if out.ConsumedCapacity != nil {
		batch.Units = aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	return batch, nil
}

// nextPosition reads where a LastEvaluatedKey says to go on.
func nextPosition(sortKey string) (*key.Position, error) {
	next, ok := key.ParseSortKey(sortKey)
	if !ok {
		return nil, errs.Errorf(errs.Internal, "a LastEvaluatedKey has the %s %q", key.GSISK, sortKey)
	}
	return &next, nil
}

func damaged(pk string, cause error) error {
	return errs.Wrap(errs.Internal, cause, "item %s", pk)
}

func damagedItem(it item, cause error) error {
	pk, _ := it[key.PK].(*types.AttributeValueMemberS)
	if pk == nil {
		return damaged("without a key", cause)
	}
	return damaged(pk.Value, cause)
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
