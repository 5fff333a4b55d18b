package store

import (
	"context"
	"strconv"
	"strings"

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
	batch.Items, batch.Evaluated = make([]exec.Item[Comment], len(out.Items)), int(out.ScannedCount)
	for i, it := range out.Items {
		r, err := readItem(it, productID)
		if err != nil {
			return batch, damagedItem(it, err)
		}
		c, err := r.comment()
		if err != nil {
			return batch, damagedItem(it, err)
		}
		batch.Items[i] = exec.Item[Comment]{SortKey: r.sortKey, Rating: c.Rating, Size: c.size, Value: c}
	}
	if last := out.LastEvaluatedKey; len(last) > 0 {
		sortKey := text(last, key.GSISK)
		if sortKey == "" {
			sortKey = text(last, key.SK)
		}
		if batch.Next, err = nextPosition(sortKey); err != nil {
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
	pk := text(it, key.PK)
	if pk == "" {
		pk = "without a key"
	}
	return damaged(pk, cause)
}

func (s *Store) queryInput(q exec.Request) *dynamodb.QueryInput {
	condition := q.Partition.Index.PartitionKey + " = :partition"
	values := item{":partition": str(q.Partition.Value)}
	if q.Until != nil {
		compare := " < :until"
		if q.Descending {
			compare = " > :until"
		}
		condition += " AND " + q.Partition.Index.SortKey + compare
		values[":until"] = str(q.Until.SortKey())
	}
	var filter *string
	var names map[string]string
	if ratings := q.Ratings.List(); len(ratings) > 0 {
		passes := make([]string, len(ratings))
		for i, r := range ratings {
			passes[i] = ":r" + strconv.Itoa(r)
			values[passes[i]] = num(r)
		}
		filter = aws.String("#rating IN (" + strings.Join(passes, ", ") + ")")
		names = map[string]string{"#rating": attrRating}
	}
	in := &dynamodb.QueryInput{
		FilterExpression:          filter,
		ExpressionAttributeNames:  names,
		TableName:                 &s.table,
		KeyConditionExpression:    &condition,
		ExpressionAttributeValues: values,
		ScanIndexForward:          aws.Bool(!q.Descending),
		Limit:                     aws.Int32(int32(q.Limit)),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if q.Partition.Index != key.Table {
		in.IndexName = &q.Partition.Index.Name
	}
	if q.After != nil {
		in.ExclusiveStartKey = item{}
		for name, value := range q.After.StartKey(q.Partition) {
			in.ExclusiveStartKey[name] = str(value)
		}
	}
	return in
}
