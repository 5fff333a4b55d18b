package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
)

// entry is an item of the index of ids: the partition key names the product and the
// attribute, the sort key is the value and, for equal ones, the place in time.
type entry struct {
	PK string `dynamodbav:"PK"`
	SK string `dynamodbav:"SK"`
	ID string `dynamodbav:"id"` // of the comment
}

// idsOf returns the partition of the index of ids that an attribute has.
func idsOf(productID, attribute string) string { return productID + "#" + attribute }

// idsName returns the name of a table's index of ids.
func idsName(table string) string { return table + ".ids" }

// sortString returns what a value sorts by: numbers padded to one width, the rest as it
// is. Negative numbers and such of more digits are beyond what the text has, too.
func sortString(value any) string {
	switch v := value.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil {
			return fmt.Sprintf("%012.3f", f)
		}
	case bool:
		return strconv.FormatBool(v)
	case string:
		return v
	}
	return fmt.Sprint(value)
}

// readByAttribute reads a page of ids in descending order of the attribute's values,
// and then the row of each: one by one in parallel, or in a batch.
func (t *table) readByAttribute(ctx context.Context, q question) (page, error) {
	partition := idsOf(q.productID, q.attribute)
	in := &dynamodb.QueryInput{
		TableName:                 aws.String(idsName(t.name)),
		KeyConditionExpression:    aws.String("PK = :partition"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": &types.AttributeValueMemberS{Value: partition}},
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(int32(q.first)),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if after := q.after[partition]; after != nil {
		start, err := attributevalue.MarshalMap(after)
		if err != nil {
			return page{}, fmt.Errorf("start key: %w", err)
		}
		in.ExclusiveStartKey = start
	}
	answer, err := t.client.Query(ctx, in)
	if err != nil {
		return page{}, err
	}
	var entries []entry
	if err := attributevalue.UnmarshalListOfMaps(answer.Items, &entries); err != nil {
		return page{}, fmt.Errorf("read the entries: %w", err)
	}
	out := page{queries: 1, units: unitsOf(answer.ConsumedCapacity)}
	rows := t.rows
	if q.batch {
		rows = t.rowsTogether
	}
	if err := rows(ctx, entries, &out); err != nil || len(entries) == 0 {
		return out, err
	}
	last := entries[len(entries)-1]
	token, err := cursor{partition: startKey{key.PK: last.PK, key.SK: last.SK}}.encode()
	out.PageInfo = pageInfo{HasNextPage: len(answer.LastEvaluatedKey) > 0, EndCursor: &token}
	return out, err
}

// rows reads each comment of a page by itself, all in parallel.
func (t *table) rows(ctx context.Context, entries []entry, out *page) error {
	found := make([]*dynamodb.GetItemOutput, len(entries))
	group, groupCtx := errgroup.WithContext(ctx)
	for i, e := range entries {
		group.Go(func() (err error) {
			found[i], err = t.client.GetItem(groupCtx, &dynamodb.GetItemInput{
				TableName: &t.name, Key: rowKey(e.ID), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
			})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for _, row := range found {
		out.units += unitsOf(row.ConsumedCapacity)
		if err := out.show(row.Item); err != nil {
			return err
		}
	}
	out.queries += len(found)
	return nil
}

// rowsTogether reads the comments of a page in one batch, which comes in any order.
func (t *table) rowsTogether(ctx context.Context, entries []entry, out *page) error {
	if len(entries) == 0 {
		return nil
	}
	wanted := types.KeysAndAttributes{}
	for _, e := range entries {
		wanted.Keys = append(wanted.Keys, rowKey(e.ID))
	}
	answer, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{t.name: wanted}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return err
	}
	byKey := map[string]map[string]types.AttributeValue{}
	for _, item := range answer.Responses[t.name] {
		if pk, ok := item[key.PK].(*types.AttributeValueMemberS); ok {
			byKey[pk.Value] = item
		}
	}
	for _, e := range entries {
		if err := out.show(byKey[key.Comment(e.ID)]); err != nil {
			return err
		}
	}
	for _, c := range answer.ConsumedCapacity {
		out.units += unitsOf(&c)
	}
	out.queries++
	return nil
}

// show puts a row on the page, unless it is gone.
func (p *page) show(item map[string]types.AttributeValue) error {
	if len(item) == 0 {
		return nil
	}
	var c comment
	if err := attributevalue.UnmarshalMap(item, &c); err != nil {
		return fmt.Errorf("read a row: %w", err)
	}
	if err := c.readKeys(); err != nil {
		return err
	}
	p.Comments = append(p.Comments, c)
	return nil
}

func rowKey(id string) map[string]types.AttributeValue {
	value := &types.AttributeValueMemberS{Value: key.Comment(id)}
	return map[string]types.AttributeValue{key.PK: value, key.SK: value}
}

func unitsOf(c *types.ConsumedCapacity) float64 {
	if c == nil {
		return 0
	}
	return aws.ToFloat64(c.CapacityUnits)
}
