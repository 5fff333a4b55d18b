package stream_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"

	"product-comments/store"
	"product-comments/store/derive/index"
	"product-comments/store/derive/stream"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
)

// Two consumers of shards that come and go, which are stopped and started
// again, with faults on both sides: every comment counts once.
func TestStatisticsFollowAnUnrulyStream(t *testing.T) {
	inWorld(t, double.Options{Shards: 2, StreamLag: time.Second}, func(w *world) {
		client := w.db.Client("consumer")
		client.Set(faults.Rates{EmptyRecords: .1, Again: .03, ExpiredIterator: .01, Throttled: .01, Lost: .03, Conflict: .03})
		reads := &failing{API: client}
		var failed atomic.Int64
		calls := &storetest.Calls{API: client, Do: func(ctx context.Context, _ any, call storetest.Call) error {
			_, err := call(ctx)
			if err != nil {
				failed.Add(1)
			}
			return err
		}}
		begin := func() (c *stream.Consumer, stop func()) {
			c = stream.New(reads, store.New(calls, w.s.Table(), store.Options{PlaceAge: -1}).Projector(), quick(w))
			return c, run(w, c)
		}
		write := func(n int) {
			w.h.write(n)
			time.Sleep(time.Second)
		}
		_, stopFirst := begin()
		_, stopSecond := begin()
		for range 3 {
			write(15 + w.h.random.IntN(20))
			w.db.Split()
			stopFirst()
			write(w.h.random.IntN(10))
			_, stopFirst = begin()
			write(15 + w.h.random.IntN(20))
			w.db.Roll()
			stopFirst, stopSecond = stopSecond, stopFirst
		}
		last, _ := begin()
		wait(w, last)
		w.h.check()
		w.wantNoRebuild()
		stopFirst()
		stopSecond()
		if reads.n.Load() == 0 || failed.Load() == 0 {
			w.Errorf("%d reads of the stream and %d calls of the table failed: no fault struck", reads.n.Load(), failed.Load())
		}
	})
}

// failing counts the reads of a stream that fail.
type failing struct {
	stream.API
	n atomic.Int64
}

func (f *failing) GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	out, err := f.API.GetRecords(ctx, in, o...)
	if err != nil {
		f.n.Add(1)
	}
	return out, err
}

func TestParentsComeBeforeChildren(t *testing.T) {
	numbers := map[string][]string{} // sequence numbers of the records by shard
	committed := func(_ context.Context, c double.Change) { numbers[c.Shard] = append(numbers[c.Shard], c.Sequence) }
	inWorld(t, double.Options{StreamLag: time.Second, Committed: committed}, func(w *world) {
		write := func(n int) {
			w.h.write(n)
			w.db.Split()
			w.h.write(n)
		}
		write(30)
		var mu sync.Mutex
		place := map[string]int{} // at which a record took effect, by sequence number
		o := quick(w)
		o.Observe = func(r index.Record, _ time.Time) {
			mu.Lock()
			defer mu.Unlock()
			place[r.Sequence] = len(place)
		}
		c := w.consumer(w.client, o)
		stop := run(w, c)
		write(10)
		write(10)
		wait(w, c)
		w.h.check()
		stop()
		closed, last := 0, map[string]int{} // place of a shard's last record
		for _, sh := range w.shards() {     // parents first
			before := -1 // the place that this shard's records must come after
			if sh.ParentShardId != nil {
				before = last[*sh.ParentShardId]
			}
			ended := sh.SequenceNumberRange.EndingSequenceNumber != nil
			for _, sequence := range numbers[*sh.ShardId] {
				at, observed := place[sequence]
				switch {
				case !observed && ended:
					w.Errorf("shard %s: record %s never took effect", *sh.ShardId, sequence)
				case !observed: // it was written when the consumer ended
				case at < before:
					w.Errorf("shard %s: record %s took effect in place %d, after %d", *sh.ShardId, sequence, at, before)
				default:
					before = at
				}
			}
			last[*sh.ShardId] = before
			if ended {
				closed++
			}
		}
		if closed < 3 {
			w.Errorf("only %d shards closed", closed)
		}
	})
}
