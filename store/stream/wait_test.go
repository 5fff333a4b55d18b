package stream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

func TestWaitAndLag(t *testing.T) {
	t.Parallel()
	client := storetest.Client(t)
	table := storetest.TableName(t)
	s := storeOn(t, client, table, store.Options{})
	entered, release := make(chan struct{}, 1), make(chan struct{})
	holding := storetest.Before(client, func(ctx context.Context, _ *dynamodb.TransactWriteItemsInput) {
		select {
		case entered <- struct{}{}:
		default:
		}
		select {
		case <-release:
		case <-ctx.Done():
		}
	})
	later := func() time.Time { return time.Now().Add(time.Minute) } // engines round a record's time
	c := stream.New(storetest.Streams(t), store.New(holding, table, store.Options{Now: later}).Projector(), quick(t))
	short := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
		defer cancel()
		return c.Wait(ctx)
	}
	err := short()
	testkit.Check(t, errors.Is(err, context.DeadlineExceeded), "Wait without Run: %v", err)
	run(t, c)
	wait(t, c) // there is nothing to count yet
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	h.write(20)
	select {
	case <-entered:
	case <-time.After(patience):
		t.Fatal("no transaction")
	}
	st := c.Status()
	testkit.Check(t, st.Lag >= 30*time.Second && !st.Shards[0].CaughtUp && st.Shards[0].Lag == st.Lag, "held back: %+v", st)
	err = short()
	testkit.Check(t, errors.Is(err, context.DeadlineExceeded), "Wait while the projector is held back: %v", err)
	close(release)
	wait(t, c)
	h.check()
	until(t, "the lag ends", func() bool { return caughtUp(c.Status()) })
}
