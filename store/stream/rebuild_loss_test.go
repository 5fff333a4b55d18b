package stream_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// A rebuild was interrupted, and the stream dropped the records of its touches
// before they were read: going on with it would count nothing. It begins again.
func TestTouchesThatWereLost(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		w.h.write(30)
		first, stop := w.run()
		wait(w, first)
		w.h.check()
		stop()
		ctx, crash := context.WithCancel(w.Context())
		defer crash()
		var touched atomic.Int64
		most := int64(len(w.h.comments))
		api := storetest.After(w.client, func(context.Context, *dynamodb.UpdateItemInput) {
			if touched.Add(1) == most {
				crash()
			}
		})
		err := stream.New(w.client, store.New(api, w.s.Table(), store.Options{}).Projector(), quick(w)).Rebuild(ctx, stream.RebuildOptions{})
		if ctx.Err() == nil || err == nil {
			w.Fatalf("it touched %d of %d comments: %v", touched.Load(), most, err)
		}
		time.Sleep(25 * time.Hour)
		second, _ := w.run()
		w.awaitRebuilt()
		wait(w, second)
		w.h.check()
		if _, generation := w.state(); generation != 2 {
			w.Errorf("the generation is %d: it did not begin again", generation)
		}
	})
}
