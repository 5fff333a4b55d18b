package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
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

// Reads go on until the allowance is spent, and then fail with reason and limit.
func TestAllowance(t *testing.T) {
	ctx := WithAllowance(t.Context(), 10)
	for range 4 {
		done := testkit.Value(allow(ctx, 3))(t)
		done(2.5)
	}
	_, err := allow(ctx, 3)
	var e *errs.Error
	testkit.Check(t, errors.As(err, &e) && e.Code == errs.BadUserInput && e.Reason == "read_units" && *e.Limit == (errs.Limit{Value: 10, Most: 10}) && e.CallersOwn(), "%v", err)
	_, err = allow(Writing(ctx), 3)
	testkit.Check(t, err == nil, "a write is held to it: %v", err)
	_, err = allow(t.Context(), 3)
	testkit.Check(t, err == nil, "without an allowance: %v", err)
}

// Reads at the same time wait for the ones that may spend the rest, and are over the
// allowance by one at the most.
func TestAllowanceOfReadsAtOnce(t *testing.T) {
	ctx := WithAllowance(t.Context(), 50)
	first := testkit.Value(allow(ctx, 40))(t)
	second, err := allow(ctx, 10) // fits next to it
	testkit.Must(t, err)
	type answer struct {
		done func(float64)
		err  error
	}
	third := make(chan answer)
	go func() {
		done, err := allow(ctx, 40)
		third <- answer{done, err}
	}()
	second(10)
	select {
	case <-third:
		t.Fatal("it does not wait for the first, which may still spend all")
	default:
	}
	first(30)
	got := <-third // 40 are spent, so that it may be 30 over
	testkit.Need(t, got.err == nil, "%v", got.err)
	got.done(40)
	testkit.Check(t, testkit.Err(allow(ctx, 1)) != nil, "it continues after 80 of 50")
	over, cancel := context.WithCancel(WithAllowance(t.Context(), 10))
	testkit.Value(allow(over, 10))(t)
	cancel()
	_, err = allow(over, 10)
	testkit.Check(t, errors.Is(err, context.Canceled), "who waits is not let go: %v", err)
}

// Whoever loses to other writers tries again often: of five seconds none may go by
// in a few long pauses.
func TestRacesPauseBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		race := New(nil, "comments", Options{}).NewRace()
		for range 20 {
			began := time.Now()
			testkit.Must(t, race.Wait(t.Context()))
			took := time.Since(began)
			testkit.Check(t, took <= 3*MostAfterALoss/2, "it pauses for %s", took)
		}
	})
}
