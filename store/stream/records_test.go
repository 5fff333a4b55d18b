package stream

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	dynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testkit"
)

func TestRecords(t *testing.T) {
	at := time.Unix(1e9, 0)
	image := map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: "x"}}
	got, err := Records([]types.Record{
		{Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("1"), ApproximateCreationDateTime: &at, NewImage: image}},
		{Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("2"), OldImage: image}},
	})
	testkit.Need(t, err == nil && len(got) == 2, "%+v, %v", got, err)
	pk, _ := got[0].After["PK"].(*dynamodb.AttributeValueMemberS)
	if got[0].Sequence != "1" || !got[0].Created.Equal(at) || got[0].Before != nil || pk == nil || pk.Value != "x" {
		t.Errorf("%+v", got[0])
	}
	testkit.Check(t, got[1].After == nil && len(got[1].Before) == 1 && got[1].Created.IsZero(), "%+v", got[1])
	for what, r := range map[string]types.Record{
		"nothing":     {},
		"no sequence": {Dynamodb: &types.StreamRecord{NewImage: image}},
		"no image":    {Dynamodb: &types.StreamRecord{SequenceNumber: aws.String("1")}},
	} {
		got, err := Records([]types.Record{r})
		testkit.Check(t, err != nil, "%s: got %+v", what, got)
	}
}
