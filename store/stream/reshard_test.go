package stream_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"product-comments/store/projector"
	"product-comments/store/simulation/double"
)

func TestParentsComeBeforeChildren(t *testing.T) {
	dealt := map[string][]string{} // sequence numbers of the records by shard
	committed := func(_ context.Context, c double.Change) { dealt[c.Shard] = append(dealt[c.Shard], c.Sequence) }
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
		o.Observe = func(r projector.Record, _ time.Time) {
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
			for _, sequence := range dealt[*sh.ShardId] {
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
