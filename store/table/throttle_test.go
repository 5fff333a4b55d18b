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
	ctx := WithAllowance(t.Context(), 10, nil)
	for range 4 {
		done := testkit.Value(allow(ctx, 3, 0))(t)
		testkit.Must(t, done(2.5, 0, 0))
	}
	_, err := allow(ctx, 3, 0)
	var e *errs.Error
	testkit.Check(t, errors.As(err, &e) && e.Code == errs.BadUserInput && e.Reason == "read_units" && *e.Limit == (errs.Limit{Value: 10, Most: 10}) && e.CallersOwn(), "%v", err)
	_, err = allow(Writing(ctx), 3, 0)
	testkit.Check(t, err == nil, "a write is held to it: %v", err)
	_, err = allow(t.Context(), 3, 0)
	testkit.Check(t, err == nil, "without an allowance: %v", err)
}

// Reads at the same time wait for the ones that may spend the rest, and are over the
// allowance by one at the most.
func TestAllowanceOfReadsAtOnce(t *testing.T) {
	ctx := WithAllowance(t.Context(), 50, nil)
	first := testkit.Value(allow(ctx, 40, 0))(t)
	second, err := allow(ctx, 10, 0) // fits next to it
	testkit.Must(t, err)
	type answer struct {
		done func(float64, int, int) error
		err  error
	}
	third := make(chan answer)
	go func() {
		done, err := allow(ctx, 40, 0)
		third <- answer{done, err}
	}()
	second(10, 0, 0)
	select {
	case <-third:
		t.Fatal("it does not wait for the first, which may still spend all")
	default:
	}
	first(30, 0, 0)
	got := <-third // 40 are spent, so that it may be 30 over
	testkit.Need(t, got.err == nil, "%v", got.err)
	got.done(40, 0, 0)
	testkit.Check(t, testkit.Err(allow(ctx, 1, 0)) != nil, "it continues after 80 of 50")
	over, cancel := context.WithCancel(WithAllowance(t.Context(), 10, nil))
	testkit.Value(allow(over, 10, 0))(t)
	cancel()
	_, err = allow(over, 10, 0)
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

// What the calls read is counted when they end, an error of that ends the request's reads, and
// calls that would read too much at once wait for others.
func TestAllowanceHolds(t *testing.T) {
	full, read := errors.New("full"), 0
	ctx := WithAllowance(t.Context(), 1e6, func(items, bytes int) error {
		if read += items; read > 10 {
			return full
		}
		return nil
	})
	testkit.Must(t, testkit.Value(allow(ctx, 1, 10))(t)(1, 10, 100))
	done := testkit.Value(allow(ctx, 1, itemsAtOnce))(t)
	over, cancel := context.WithCancel(ctx)
	cancel()
	testkit.Check(t, errors.Is(testkit.Err(allow(over, 1, 1)), context.Canceled), "more items are read at once")
	testkit.Check(t, errors.Is(done(1, 1, 100), full), "what is read is not held to a bound")
	testkit.Check(t, errors.Is(testkit.Err(allow(ctx, 1, 1)), full), "it reads on")
}
