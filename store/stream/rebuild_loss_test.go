package stream_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// A rebuild was interrupted, and the stream dropped the records of its touches
// before they were read: going on with it would count nothing. It begins anew.
func TestTouchesThatWereLost(t *testing.T) {
	c := newLossCase(t, storetest.ReshardOptions{Shards: 2})
	c.h.write(30)
	first, stop := c.run()
	wait(t, first)
	c.h.check()
	stop()
	ctx, crash := context.WithCancel(t.Context())
	defer crash()
	api := &touched{API: storetest.Client(t), most: int64(len(c.h.comments)), all: crash}
	alone := store.New(api, c.s.Table(), store.Options{CallTimeout: 2 * time.Second, MetaAge: 100 * time.Millisecond, Now: c.clock.now})
	err := stream.New(c.dealt, alone.Projector(), quick(t)).Rebuild(ctx, stream.RebuildOptions{})
	if ctx.Err() == nil || err == nil {
		t.Fatalf("it touched %d of %d comments: %v", api.n.Load(), api.most, err)
	}
	c.trim()
	c.clock.ahead.Store(int64(25 * time.Hour))
	second, _ := c.run()
	until(t, "kept", func() bool { return c.meta().State == settings.StateKept })
	wait(t, second)
	c.h.check()
	if now := c.meta(); now.Generation != 2 {
		t.Errorf("the generation is %d: it did not begin anew", now.Generation)
	}
}

// touched tells when so many items were updated.
type touched struct {
	store.API
	most int64
	n    atomic.Int64
	all  func()
}

func (a *touched) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	out, err := a.API.UpdateItem(ctx, in, o...)
	if a.n.Add(1) == a.most {
		a.all()
	}
	return out, err
}
