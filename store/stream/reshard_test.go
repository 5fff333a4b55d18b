package stream_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// Two consumers of shards that come and go, which are stopped and started
// anew, with faults on both sides: every comment counts once.
func TestStatisticsFollowAnUnrulyStream(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	random := rand.New(rand.NewPCG(seed, 1))
	client := storetest.Client(t)
	table := storetest.TableName(t)
	h := newHistory(t, storeOn(t, client, table, store.Options{}), random)
	unruly := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{
		Shards: 1 + random.IntN(2), Close: 150 + random.IntN(100), Page: 5 + random.IntN(60), Seed: seed,
		Empty: .1, Again: .03, Expired: .01, Throttled: .01,
	})
	faults := &faulty{API: client, often: .03, random: rand.New(rand.NewPCG(seed, 2))}
	begin := func() (c *stream.Consumer, stop func()) {
		c = stream.New(unruly, store.New(faults, table, store.Options{}).Projector(), quick(t))
		return c, run(t, c)
	}
	_, stopFirst := begin()
	_, stopSecond := begin()
	for range 3 {
		h.write(15 + random.IntN(20))
		stopFirst()
		h.write(random.IntN(10))
		_, stopFirst = begin()
		h.write(15 + random.IntN(20))
		stopFirst, stopSecond = stopSecond, stopFirst
	}
	last, _ := begin()
	wait(t, last)
	h.check()
	if meta, err := h.s.Settings().Read(t.Context()); err != nil || meta.State != settings.StateKept || meta.Generation != 0 {
		t.Errorf("the statistics are %v, %v", meta, err)
	}
	stopFirst()
	stopSecond()
	status := last.Status()
	t.Logf("generation %s, %d records, faults: %d of transactions, %d empty, %d again, %d expired, %d throttled", status.Shards[0].ID, status.Records,
		faults.happened(), unruly.Calls("empty"), unruly.Calls("again"), unruly.Calls("expired"), unruly.Calls("throttled"))
}

func TestParentsComeBeforeChildren(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	dealt := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{Shards: 1, Close: 60, Page: 7})
	h.write(60)
	var mu sync.Mutex
	place := map[string]int{} // at which a record took effect, by sequence number
	o := quick(t)
	o.Observe = func(r projector.Record, _ time.Time) {
		mu.Lock()
		defer mu.Unlock()
		place[r.Sequence] = len(place)
	}
	c := stream.New(dealt, s.Projector(), o)
	stop := run(t, c)
	h.write(30)
	wait(t, c)
	h.check()
	stop()
	closed, last := 0, map[string]int{} // place of a shard's last record
	for _, sh := range dealt.Dealt() {  // parents first
		before := -1 // the place that this shard's records must come after
		if sh.Parent != "" {
			before = last[sh.Parent]
		}
		for _, sequence := range sh.Sequences {
			at, observed := place[sequence]
			switch {
			case !observed && sh.Closed:
				t.Errorf("shard %s: record %s never took effect", sh.ID, sequence)
			case !observed: // it was written when the consumer ended
			case at < before:
				t.Errorf("shard %s: record %s took effect in place %d, after %d", sh.ID, sequence, at, before)
			default:
				before = at
			}
		}
		last[sh.ID] = before
		if sh.Closed {
			closed++
		}
	}
	if closed < 3 {
		t.Errorf("only %d shards closed", closed)
	}
}
