package stream_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// Comments of many products that come one by one share transactions, if the store takes
// its time for each: 800 of them change 1,600 items, and a transaction has 100.
func TestManyProductsShareTransactions(t *testing.T) {
	inWorld(t, double.Options{}, func(w *world) {
		var transactions atomic.Int64
		slow := storetest.Before(w.client, func(context.Context, *dynamodb.TransactWriteItemsInput) {
			transactions.Add(1)
			time.Sleep(20 * time.Millisecond)
		})
		c := stream.New(w.client, store.New(slow, w.s.Table(), store.Options{}).Projector(), quick(w))
		run(w, c)
		wait(w, c)
		all := map[string]store.Comment{}
		for i := range 800 {
			of := store.Comment{ID: fmt.Sprint("c", i), ProductID: fmt.Sprint("p", i), Language: "en", Rating: 1 + i%5, CreatedAt: time.Unix(1e8, 0).UTC()}
			all[of.ID] = of
			testkit.Value(w.s.Import(w.Context(), []store.Comment{of}))(w)
			time.Sleep(time.Millisecond)
		}
		wait(w, c)
		wantCounted(w, w.s, all)
		if n := transactions.Load(); n > 120 {
			w.Errorf("the projector needs %d transactions, at most 120 are wanted", n)
		}
	})
}
