package stream

import (
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	dynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store/derive/index"
)

// Records converts records of a stream for the projector. It returns an error for a record without
// a sequence number or without images.
func Records(shard []types.Record) ([]index.Record, error) {
	out := make([]index.Record, len(shard))
	for i, r := range shard {
		record, err := recordOf(r)
		if err != nil {
			return nil, fmt.Errorf("record %s: %w", aws.ToString(r.EventID), err)
		}
		out[i] = record
	}
	return out, nil
}

func recordOf(r types.Record) (index.Record, error) {
	if r.Dynamodb == nil || aws.ToString(r.Dynamodb.SequenceNumber) == "" {
		return index.Record{}, errors.New("it has no sequence number")
	}
	if len(r.Dynamodb.OldImage)+len(r.Dynamodb.NewImage) == 0 {
		return index.Record{}, errors.New("it has no image")
	}
	before, err := imageOf(r.Dynamodb.OldImage)
	if err != nil {
		return index.Record{}, fmt.Errorf("the old image: %w", err)
	}
	after, err := imageOf(r.Dynamodb.NewImage)
	if err != nil {
		return index.Record{}, fmt.Errorf("the new image: %w", err)
	}
	return index.Record{
		Sequence: *r.Dynamodb.SequenceNumber,
		Created:  aws.ToTime(r.Dynamodb.ApproximateCreationDateTime),
		Before:   before, After: after,
	}, nil
}

// imageOf returns nil for a missing image; the library would return an empty one.
func imageOf(image map[string]types.AttributeValue) (map[string]dynamodb.AttributeValue, error) {
	if len(image) == 0 {
		return nil, nil
	}
	return attributevalue.FromDynamoDBStreamsMap(image)
}
