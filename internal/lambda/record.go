package lambda

import (
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/derive/index"
)

// source is the event source of records from DynamoDB streams.
const source = "aws:dynamodb"

// recordsOf converts the records of an event. It returns an error for a record without the change.
func recordsOf(in []events.DynamoDBEventRecord) ([]index.Record, error) {
	out := make([]index.Record, len(in))
	for i, r := range in {
		switch view := r.Change.StreamViewType; {
		case r.EventSource != source:
			return nil, fmt.Errorf("record %q comes from %q, not from %s", r.EventID, r.EventSource, source)
		case view != string(events.DynamoDBStreamViewTypeNewAndOldImages):
			return nil, fmt.Errorf("record %q has the view type %q: set the table's stream to NEW_AND_OLD_IMAGES", r.EventID, view)
		case r.Change.SequenceNumber == "":
			return nil, fmt.Errorf("record %q has no sequence number", r.EventID)
		case len(r.Change.OldImage)+len(r.Change.NewImage) == 0:
			return nil, fmt.Errorf("record %q has no image", r.EventID)
		}
		out[i] = index.Record{
			Sequence: r.Change.SequenceNumber, Created: r.Change.ApproximateCreationDateTime.Time,
			Before: imageOf(r.Change.OldImage), After: imageOf(r.Change.NewImage),
		}
	}
	return out, nil
}

// imageOf converts an image; nil if it is empty.
func imageOf(in map[string]events.DynamoDBAttributeValue) map[string]types.AttributeValue {
	if len(in) == 0 {
		return nil
	}
	return mapOf(in)
}

func mapOf(in map[string]events.DynamoDBAttributeValue) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(in))
	for name, value := range in {
		out[name] = valueOf(value)
	}
	return out
}

func valueOf(v events.DynamoDBAttributeValue) types.AttributeValue {
	if v.IsNull() { // or the zero value, whose other methods panic
		return &types.AttributeValueMemberNULL{Value: true}
	}
	switch v.DataType() {
	case events.DataTypeBinary:
		return &types.AttributeValueMemberB{Value: v.Binary()}
	case events.DataTypeBoolean:
		return &types.AttributeValueMemberBOOL{Value: v.Boolean()}
	case events.DataTypeBinarySet:
		return &types.AttributeValueMemberBS{Value: v.BinarySet()}
	case events.DataTypeList:
		list := v.List()
		out := make([]types.AttributeValue, len(list))
		for i, value := range list {
			out[i] = valueOf(value)
		}
		return &types.AttributeValueMemberL{Value: out}
	case events.DataTypeMap:
		return &types.AttributeValueMemberM{Value: mapOf(v.Map())}
	case events.DataTypeNumber:
		return &types.AttributeValueMemberN{Value: v.Number()}
	case events.DataTypeNumberSet:
		return &types.AttributeValueMemberNS{Value: v.NumberSet()}
	case events.DataTypeStringSet:
		return &types.AttributeValueMemberSS{Value: v.StringSet()}
	default:
		return &types.AttributeValueMemberS{Value: v.String()}
	}
}
