package definitions_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// A write that comes upon a visitor's read of definitions waits throttling out, although
// the visitor does not.
func TestAWriteReadsDefinitionsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const product = "42"
		client := double.New(double.Options{}).Client("test")
		writer := store.New(client, "comments", store.Options{})
		testkit.Must(t, writer.EnsureTable(t.Context(), true))
		define(t, writer, fit)
		var refuses atomic.Bool // reads of items, after a second
		api := &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
			if _, reads := in.(*dynamodb.GetItemInput); reads && refuses.Load() {
				time.Sleep(time.Second)
				return &types.ProvisionedThroughputExceededException{}
			}
			_, err := call(ctx)
			return err
		}}
		s := store.New(api, "comments", store.Options{CallTimeout: time.Minute})
		for _, known := range []bool{false, true} { // which definitions the product has
			testkit.Value(s.Settings().Recent(t.Context()))(t)
			if known {
				testkit.Value(s.Attributes().GroupOf(t.Context(), product))(t)
			}
			var both sync.WaitGroup
			refuses.Store(true)
			both.Go(func() {
				_, err := s.Attributes().Definitions(t.Context(), product)
				testkit.Check(t, isThrottled(err), "a visitor was told %v", err)
				refuses.Store(false)
			})
			synctest.Wait()
			both.Go(func() {
				d, err := s.Attributes().Definitions(table.Writing(t.Context()), product)
				testkit.Check(t, err == nil && d.Any(), "a write was told %v", err)
			})
			both.Wait()
			s = store.New(api, "comments", store.Options{CallTimeout: time.Minute})
		}
	})
}

func isThrottled(err error) bool {
	var refused *types.ProvisionedThroughputExceededException
	return errors.As(err, &refused)
}

// What a product has is remembered for as long as the settings are, and no longer.
func TestDefinitionsAreRememberedBriefly(t *testing.T) {
	client := double.New(double.Options{}).Client("test")
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	s := store.New(client, "comments", store.Options{MetaAge: 2 * time.Second, Now: func() time.Time { return now }})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	define(t, s, fit)
	has := func() *attributes.Definition {
		t.Helper()
		return testkit.Value(s.Attributes().Definitions(t.Context(), "42"))(t).Get("note")
	}
	has()
	other := store.New(client, "comments", store.Options{MetaAge: time.Nanosecond})
	define(t, other, fit, note)
	now = now.Add(time.Second)
	testkit.Check(t, has() == nil, "it was read again")
	now = now.Add(2 * time.Second)
	testkit.Check(t, has() != nil, "it was remembered for too long")
}
