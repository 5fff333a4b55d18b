package lambda

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/projector"
)

// source is what the records of DynamoDB's streams say where they come from.
const source = "aws:dynamodb"

// recordsOf converts the records of an event. It returns an error if one of
// them does not tell what was changed.
func recordsOf(in []events.DynamoDBEventRecord) ([]projector.Record, error) {
	out := make([]projector.Record, len(in))
	for i, r := range in {
		switch view := r.Change.StreamViewType; {
		case r.EventSource != source:
			return nil, fmt.Errorf("record %q comes from %q, not from %s", r.EventID, r.EventSource, source)
		case view != string(events.DynamoDBStreamViewTypeNewAndOldImages):
			return nil, fmt.Errorf("record %q has %q: the table's stream must be of new and old images", r.EventID, view)
		case r.Change.SequenceNumber == "":
			return nil, fmt.Errorf("record %q has no sequence number", r.EventID)
		case len(r.Change.OldImage)+len(r.Change.NewImage) == 0:
			return nil, fmt.Errorf("record %q has no image", r.EventID)
		}
		before, err := imageOf(r.Change.OldImage)
		after, wrong := imageOf(r.Change.NewImage)
		if err := errors.Join(err, wrong); err != nil {
			return nil, fmt.Errorf("record %q: %w", r.EventID, err)
		}
		out[i] = projector.Record{Sequence: r.Change.SequenceNumber, Created: r.Change.ApproximateCreationDateTime.Time, Before: before, After: after}
	}
	return out, nil
}

// imageOf converts an image, by way of the JSON that both forms share; there is none if
// it is empty.
func imageOf(in map[string]events.DynamoDBAttributeValue) (map[string]types.AttributeValue, error) {
	if len(in) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	return attributevalue.UnmarshalMapJSON(text)
}
