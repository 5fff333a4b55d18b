package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// Region is the AWS region in ARNs and records.
const Region = "us-east-1"

// TrimAge is the age at which a stream drops a record.
const TrimAge = 24 * time.Hour

// Record returns the stream record of a change. expired is true if time to live removed the item.
func (t *Table) Record(sequence uint64, made time.Time, before, after Item, expired bool) types.Record {
	either, event := after, types.OperationTypeModify
	switch {
	case before == nil:
		event = types.OperationTypeInsert
	case after == nil:
		either, event = before, types.OperationTypeRemove
	}
	keys := t.Base.Key.KeyOf(either)
	r := types.Record{
		AwsRegion: aws.String(Region), EventID: aws.String(fmt.Sprintf("%032x", sequence)),
		EventName: event, EventSource: aws.String("aws:dynamodb"), EventVersion: aws.String("1.1"),
		Dynamodb: &types.StreamRecord{
			ApproximateCreationDateTime: aws.Time(made.Truncate(time.Second)),
			Keys:                        streamed(keys), OldImage: streamed(before), NewImage: streamed(after),
			SequenceNumber: aws.String(strconv.FormatUint(sequence, 10)),
			SizeBytes:      aws.Int64(int64(Size(keys) + Size(before) + Size(after))),
			StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	}
	if expired {
		r.UserIdentity = &types.Identity{
			PrincipalId: aws.String("dynamodb.amazonaws.com"), Type: aws.String("Service"),
		}
	}
	return r
}

// streamed returns an item in the types of the Streams client; nil for none.
func streamed(it Item) map[string]types.AttributeValue {
	if it == nil {
		return nil
	}
	out := make(map[string]types.AttributeValue, len(it))
	for name, v := range it {
		out[name] = streamedValue(v)
	}
	return out
}

func streamedValue(v Value) types.AttributeValue {
	switch v := v.(type) {
	case *text:
		return &types.AttributeValueMemberS{Value: v.Value}
	case *number:
		return &types.AttributeValueMemberN{Value: v.Value}
	case *binary:
		return &types.AttributeValueMemberB{Value: v.Value}
	case *boolean:
		return &types.AttributeValueMemberBOOL{Value: v.Value}
	}
	return &types.AttributeValueMemberM{Value: streamed(v.(*document).Value)}
}
