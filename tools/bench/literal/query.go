package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// table is where the comments are.
type table struct {
	client *dynamodb.Client
	name   string
}

// answer is what one query returned.
type answer struct {
	comments []comment
	more     bool // there was a LastEvaluatedKey
	units    float64
}

// query reads a page of one partition, newest first.
func (t *table) query(ctx context.Context, p key.Partition, after startKey, first int) (answer, error) {
	in := &dynamodb.QueryInput{
		TableName:                 &t.name,
		IndexName:                 &p.Index.Name,
		KeyConditionExpression:    aws.String(p.Index.PartitionKey + " = :partition"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":partition": &types.AttributeValueMemberS{Value: p.Value}},
		ScanIndexForward:          aws.Bool(false),
		Limit:                     aws.Int32(int32(first)),
		ReturnConsumedCapacity:    types.ReturnConsumedCapacityTotal,
	}
	if after != nil {
		start, err := attributevalue.MarshalMap(after)
		if err != nil {
			return answer{}, fmt.Errorf("start key: %w", err)
		}
		in.ExclusiveStartKey = start
	}
	out, err := t.client.Query(ctx, in)
	if err != nil {
		return answer{}, err
	}
	a := answer{more: len(out.LastEvaluatedKey) > 0}
	if out.ConsumedCapacity != nil {
		a.units = aws.ToFloat64(out.ConsumedCapacity.CapacityUnits)
	}
	if err := attributevalue.UnmarshalListOfMaps(out.Items, &a.comments); err != nil {
		return answer{}, fmt.Errorf("read the items: %w", err)
	}
	for i := range a.comments {
		if err := a.comments[i].readKeys(); err != nil {
			return answer{}, err
		}
	}
	return a, nil
}
