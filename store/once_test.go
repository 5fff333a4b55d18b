package store_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

// Of calls at once, one is the first, also if its answer was lost and the client repeated it.
func TestOnce(t *testing.T) {
	var lost atomic.Bool
	api := &storetest.Calls{API: storetest.Client(t), Do: func(ctx context.Context, in any, call storetest.Call) error {
		_, err := call(ctx)
		if _, is := in.(*dynamodb.PutItemInput); is && err == nil && lost.Swap(false) {
			_, err = call(ctx) // as the SDK does without an answer
		}
		return err
	}}
	s := store.New(api, storetest.TableName(t), store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	until := time.Now().Add(time.Hour)
	for _, loses := range []bool{false, true} {
		what := map[bool]string{false: "a", true: "b"}[loses]
		testkit.Check(t, !testkit.Value(s.Happened(t.Context(), what))(t), "%s happened before", what)
		lost.Store(loses)
		var firsts atomic.Int64
		testkit.AtOnce(8, func(int) {
			if testkit.Value(s.Once(t.Context(), what, until))(t) {
				firsts.Add(1)
			}
		})
		testkit.Equal(t, firsts.Load(), 1, "%s: calls that are the first", what)
		testkit.Check(t, !lost.Load() && testkit.Value(s.Happened(t.Context(), what))(t), "%s did not happen", what)
	}
	api.Do = func(context.Context, any, storetest.Call) error { return errors.New("down") }
	testkit.Check(t, testkit.Err(s.Once(t.Context(), "c", until)) != nil && testkit.Err(s.Happened(t.Context(), "a")) != nil, "a store that is down says something")
}
