package stream_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

func TestStatisticsFollowTheTable(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	h.write(60) // before the consumer
	c := stream.New(storetest.Streams(t), s.Projector(), quick(t))
	stop := run(t, c)
	h.write(60) // while it works
	wait(t, c)
	h.check()
	st := c.Status()
	testkit.Check(t, st.Started && st.State == settings.StateKept && len(st.Shards) == 1 && st.Transactions != 0 && st.Records >= 120 && st.LastError == "", "%+v", st)
	stop()
	h.write(60) // while there is none
	c = stream.New(storetest.Streams(t), s.Projector(), quick(t))
	run(t, c)
	wait(t, c)
	h.check()
}

// Not parallel: other tests' consumers would be taken for ours.
func TestRunEndsPromptlyAndLeavesNothing(t *testing.T) {
	s := newStore(t)
	newHistory(t, s, rand.New(rand.NewPCG(1, 1))).write(20)
	for range 3 {
		c := stream.New(storetest.Streams(t), s.Projector(), quick(t))
		stop := run(t, c)
		wait(t, c)
		began := time.Now()
		stop()
		took := time.Since(began)
		testkit.Check(t, took <= 2*time.Second, "it took %s to end", took)
	}
	testkit.Equal(t, goroutines(), "", "left behind")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := stream.New(storetest.Streams(t), s.Projector(), quick(t)).Run(ctx)
	testkit.Check(t, err == nil, "with a context that has ended: %v", err)
}

// goroutines returns the stacks of goroutines that run a consumer's code.
func goroutines() string {
	stacks := make([]byte, 1<<20)
	var ours []string
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "store/derive/stream.(") {
			ours = append(ours, stack)
		}
	}
	return strings.Join(ours, "\n\n")
}

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
	c := stream.New(storetest.Streams(t), store.New(holding, table, store.Options{Now: later, PlaceAge: -1}).Projector(), quick(t))
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
		for i := range 800 {
			of := store.Comment{ID: fmt.Sprint("c", i), ProductID: fmt.Sprint("p", i), Language: "en", Rating: 1 + i%5, CreatedAt: time.Unix(1e8, 0).UTC()}
			testkit.Value(w.s.Import(w.Context(), []store.Comment{of}))(w)
			time.Sleep(time.Millisecond)
		}
		wait(w, c)
		wantCounted(w, w.s, 800)
		if n := transactions.Load(); n > 120 {
			w.Errorf("the projector needs %d transactions, at most 120 are wanted", n)
		}
	})
}

// firstShards lists no children.
type firstShards struct{ stream.API }

func (f firstShards) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	out, err := f.API.DescribeStream(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	var shards []types.Shard
	for _, sh := range out.StreamDescription.Shards {
		if sh.ParentShardId == nil {
			shards = append(shards, sh)
		}
	}
	out.StreamDescription.Shards = shards
	return out, nil
}

// A shard was read to its end, and what its children got was dropped in a day in
// which were not projected. That they still have other records does not hide it,
// whether no process opened them or one did that found nothing to read.
func TestATrimmedChild(t *testing.T) {
	for name, opened := range map[string]bool{"a parent that no process opened": false, "a parent whose checkpoint has no sequence number": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, double.Options{}, func(w *world) {
				w.h.write(10)
				stop := run(w, w.consumer(firstShards{w.client}, quick(w)))
				w.db.Split()
				shards := w.shards()
				until(w, "the first shard is read to its end", func() bool {
					w.h.write(1)
					return w.look(shards[0].ShardId).Done
				})
				stop()
				if opened {
					for _, sh := range shards[1:] {
						testkit.Value(w.s.Projector().Open(w.Context(), *sh.ShardId, time.Now()))(w)
					}
				}
				w.h.write(5)
				time.Sleep(25 * time.Hour)
				second, _ := w.run()
				w.h.write(5)
				w.awaitRebuilt()
				wait(w, second)
				w.h.check()
			})
		})
	}
}
