package store_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// What an import of new products needs to know of them it reads for a hundred with one
// call: the comments that are there, languages, and definitions of attributes, these once
// when lines are read and once when they are written. And it writes the comments of a
// product one after the other, for a projector to sum.
func TestAnImportReadsOfManyProductsAtOnce(t *testing.T) {
	const perProduct, n = 4, 1000
	var gets, batches, together atomic.Int64
	var last atomic.Value // the product that was written last
	last.Store("")
	client := double.New(double.Options{}).Client("test")
	api := &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
		switch in := in.(type) {
		case *dynamodb.GetItemInput:
			gets.Add(1)
		case *dynamodb.BatchGetItemInput:
			batches.Add(1)
		case *dynamodb.PutItemInput:
			if product := table.Text(in.Item, key.All.PartitionKey); last.Swap(product) == product {
				together.Add(1)
			}
		}
		_, err := call(ctx)
		return err
	}}
	s := store.New(api, "comments", store.Options{})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	defined := definitions.Change{Scope: definitions.Scope{Group: "shoes"}, Definitions: []attributes.Definition{{Key: "fit", Type: attributes.Number}}}
	testkit.Value(s.Attributes().Define(t.Context(), defined))(t)
	comments := make([]store.Comment, n)
	for i := range comments {
		comments[i] = store.Comment{
			ID: fmt.Sprint("c", i), ProductID: fmt.Sprint("p", i%(n/perProduct)), Language: "en", Rating: 3, CreatedAt: time.Unix(1e8, 0).UTC(), Attributes: []byte(`{"fit":4}`),
		}
	}
	gets.Store(0)
	batches.Store(0)
	fits := testkit.Value(s.FitAttributes(t.Context(), comments))(t)
	for i, outcome := range testkit.Value(s.Import(t.Context(), comments))(t) {
		testkit.Check(t, outcome == store.Written && fits[i].Unknown, "comment %d: %v, %+v", i, outcome, fits[i])
	}
	// 10 for the comments, 3 for languages, and for definitions 3 and then 10, one for
	// each 100 comments that are written.
	testkit.Check(t, gets.Load() <= 5 && batches.Load() <= 26, "%d items are read one by one, and %d times many", gets.Load(), batches.Load())
	testkit.Check(t, together.Load() >= n/4, "only %d of %d comments follow another one of their product", together.Load(), n)
}

// Writes of an import that are too slow are made again, and what took effect nevertheless counts
// once.
func TestAnImportGoesOnAfterSlowWrites(t *testing.T) {
	const n = 200
	client := double.New(double.Options{}).Client("test")
	var writes atomic.Int64
	api := &storetest.Calls{API: client, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if _, ok := in.(*dynamodb.PutItemInput); ok {
			switch nth := writes.Add(1); nth % 3 {
			case 1:
				return context.DeadlineExceeded
			case 2:
				_, _ = call(ctx)
				return context.DeadlineExceeded
			}
			time.Sleep(2 * time.Millisecond) // others come
		}
		_, err := call(ctx)
		return err
	}}
	comments := make([]store.Comment, n)
	for i := range comments {
		comments[i] = store.Comment{ID: fmt.Sprint("c", i), ProductID: fmt.Sprint("p", i%5), Language: "en", Rating: 3, CreatedAt: time.Unix(1e8, 0).UTC()}
	}
	other := store.New(client, "comments", store.Options{})
	testkit.Must(t, other.EnsureTable(t.Context(), true))
	testkit.Value(other.Import(t.Context(), comments[7:8]))(t)
	comments[7].Rating = 4
	s := store.New(api, "comments", store.Options{})
	for i, outcome := range testkit.Value(s.Import(t.Context(), comments))(t) {
		want := store.Written
		if i == 7 {
			want = store.Replaced
		}
		testkit.Check(t, outcome == want, "comment %d: %v", i, outcome)
	}
	for i, outcome := range testkit.Value(s.Import(t.Context(), comments))(t) {
		testkit.Check(t, outcome == store.Unchanged, "comment %d again: %v", i, outcome)
	}
}
