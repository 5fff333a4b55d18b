package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/store/key"
)

// refusing answers every query with an error.
type refusing struct {
	API
	err error
}

func (r refusing) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return nil, &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "Query", Err: r.err}
}

type heard struct{ calls []Call }

func (h *heard) Called(_ context.Context, c Call) { h.calls = append(h.calls, c) }

// An observer learns what DynamoDB says of throttling: of which table or index it is, and
// why.
func TestThrottlesAreObserved(t *testing.T) {
	const arn = "arn:aws:dynamodb:eu-central-1:111122223333:table/"
	reasons := func(pairs ...string) (list []types.ThrottlingReason) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, types.ThrottlingReason{Resource: aws.String(arn + pairs[i]), Reason: aws.String(pairs[i+1])})
		}
		return list
	}
	for _, c := range []struct {
		err  error
		want []Throttle
	}{
		{&types.ThrottlingException{ThrottlingReasons: reasons("comments/index/byLang", "IndexReadKeyRangeThroughputExceeded")},
			[]Throttle{{key.ByLang, "comments/index/byLang", "IndexReadKeyRangeThroughputExceeded"}}},
		{&types.ProvisionedThroughputExceededException{ThrottlingReasons: reasons("comments", "TableWriteProvisionedThroughputExceeded", "comments/index/own", "IndexWriteAccountLimitExceeded")},
			[]Throttle{{key.Table, "comments", "TableWriteProvisionedThroughputExceeded"}, {key.Index{Name: "own"}, "comments/index/own", "IndexWriteAccountLimitExceeded"}}},
		{&types.RequestLimitExceeded{ThrottlingReasons: reasons("comments-columns", "TableReadMaxOnDemandThroughputExceeded")},
			[]Throttle{{key.Columns, "comments-columns", "TableReadMaxOnDemandThroughputExceeded"}}},
		{&types.ThrottlingException{ThrottlingReasons: []types.ThrottlingReason{{}}}, []Throttle{{Index: key.Table}}},
		{&types.ThrottlingException{}, nil},
		{&smithy.GenericAPIError{Code: "ThrottlingException"}, nil},
		{errors.New("something else"), nil},
	} {
		h := &heard{}
		_, _, _ = New(refusing{err: c.err}, "comments", Options{Observer: h}).Query(t.Context(), Query{})
		if len(h.calls) != 1 || !slices.EqualFunc(h.calls[0].Throttles, c.want, func(a, b Throttle) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
			t.Errorf("%v: %+v, want %+v", c.err, h.calls, c.want)
		}
	}
}
