package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/moderation"
	"product-comments/store/derive/index"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/derive/verify"
	"product-comments/store/errs"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/simulation/faults"
	"product-comments/store/storetest"
)

// neighbours are products whose buckets share a lane: 4/2 and s one bucket, c and p1 two
// others, one after it and one before.
var neighbours = []string{"p1", "4/2", "c", "s"}

// moving is a table under a virtual clock whose comments go from one product to another.
type moving struct {
	*testing.T
	random   *rand.Rand
	client   *double.Client
	s        *store.Store
	comments map[string]string // products by id
}

// withMoves runs a test with neighbours, some of which have attributes, and some copies.
func withMoves(t *testing.T, test func(m *moving)) {
	random := testkit.Random(t)
	synctest.Test(t, func(t *testing.T) {
		m := &moving{T: t, random: random, client: double.New(double.Options{Seed: random.Uint64()}).Client("test"), comments: map[string]string{}}
		m.restart()
		testkit.Must(m, m.s.EnsureTable(t.Context(), true))
		m.sharesALane()
		stop := consume(m.T, m.client, m.s)
		for _, product := range []string{"4/2", "c"} {
			define(t, m.s, product, []attributes.Definition{{Key: "fit", Type: attributes.Number, Shown: true}, {Key: "note", Type: attributes.Text}})
		}
		for _, product := range []string{"4/2", "p1"} {
			testkit.Must(m, m.s.PowerSets().Enable(t.Context(), product, nil))
		}
		stop()
		test(m)
	})
}

// restart begins a process that remembers nothing.
func (m *moving) restart() {
	m.s = store.New(m.client, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
}

// sharesALane fails the test unless one lane projects all neighbours, which move to
// greater buckets and to smaller ones.
func (m *moving) sharesALane() {
	buckets := map[int]bool{}
	for _, product := range neighbours {
		bucket := projector.BucketOf(product)
		if buckets[bucket] = true; bucket%projector.Lanes != projector.BucketOf(neighbours[0])%projector.Lanes {
			m.Fatalf("product %q is of another lane", product)
		}
	}
	if len(buckets) != len(neighbours)-1 {
		m.Fatalf("%d buckets of %v", len(buckets), neighbours)
	}
}

// consume runs a projector of all lanes until stop is called, which waits until
// everything is projected.
func consume(t *testing.T, client stream.API, s *store.Store) (stop func()) {
	c := stream.New(client, s.Projector(), stream.Options{Poll: 250 * time.Millisecond})
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	var running sync.WaitGroup
	running.Go(func() { _ = c.Run(ctx) })
	return func() {
		t.Helper()
		defer running.Wait()
		defer cancel()
		for range 3 { // also what the projector touched
			testkit.Must(t, c.Wait(ctx))
		}
	}
}

// draw returns a comment of a product.
func (m *moving) draw(id, product string) store.Comment {
	r := m.random
	c := store.Comment{ID: id, ProductID: product, Rating: 1 + r.IntN(5), Language: []string{"en", "de"}[r.IntN(2)], Title: fmt.Sprint(r.Uint32()), CreatedAt: time.Unix(int64(r.IntN(3)), 0)}
	if n := r.IntN(3); n > 0 {
		c.Helpful = &n
	}
	if r.IntN(4) > 0 {
		c.Attributes = json.RawMessage(fmt.Sprintf(`{"fit":%d,"note":"n%d"}`, r.IntN(3), r.IntN(3)))
	}
	return c
}

// change changes some comment, most often so that it goes to another product.
func (m *moving) change() {
	m.Helper()
	id := fmt.Sprint(m.random.IntN(5))
	product, there := m.comments[id]
	kind := m.random.IntN(10)
	switch {
	case there && kind == 0:
		_, err := m.s.Delete(m.Context(), id, nil)
		testkit.Must(m, err)
		delete(m.comments, id)
	case there && kind <= 2: // some is decided already
		_, err := m.s.Decide(m.Context(), ruling(id, []moderation.Verb{moderation.Reject, moderation.Approve}[m.random.IntN(2)]))
		if errs.CodeOf(err) != errs.Conflict {
			testkit.Must(m, err)
		}
	default:
		if !there || kind <= 8 {
			product = neighbours[m.random.IntN(len(neighbours))]
		}
		importAll(m.T, m.s, []store.Comment{m.draw(id, product)})
		m.comments[id] = product
	}
}

// right fails the test unless everything that is derived is what a recount says.
func (m *moving) right(when string) {
	m.Helper()
	found := testkit.Value(verify.Run(m.Context(), m.s.Projector(), verify.Options{}))(m)
	if found.State != settings.StateKept || int(found.Comments) != len(m.comments) {
		m.Errorf("%s: %+v of %d comments", when, found, len(m.comments))
	}
	for _, d := range found.Differences {
		m.Errorf("%s: %s", when, d)
	}
	if m.Failed() {
		m.FailNow()
	}
}

// Whatever becomes of comments, what is derived from them does not depend on the order in
// which a lane takes the changes of different buckets, nor where its transactions end, nor
// on answers that are lost, processes that end and records that come again.
func TestMovesInEveryOrder(t *testing.T) {
	withMoves(t, func(m *moving) {
		var passed string // up to which everything was projected
		rounds := 15
		if testkit.All(t) {
			rounds = 100
		}
		for round := range rounds {
			for range 1 + m.random.IntN(12) {
				m.change()
			}
			for more := true; more; { // touches of the projector come after
				more = m.project(&passed)
			}
			m.right(fmt.Sprintf("round %d", round))
		}
	})
}

// project projects the records after one, and moves it behind them. It returns false if
// there are none.
func (m *moving) project(passed *string) bool {
	m.Helper()
	_, shard, records, err := storetest.Records(m.Context(), m.client, m.s.Projector())
	testkit.Must(m, err)
	records = slices.DeleteFunc(records, func(r index.Record) bool { return projector.CompareSequence(r.Sequence, *passed) <= 0 })
	for len(records) > 0 && !m.inLane(shard, records) {
		m.restart() // and all records come again
	}
	if len(records) == 0 {
		return false
	}
	*passed = records[len(records)-1].Sequence
	return true
}

// inLane gives records to a lane in some order. It returns false if the process ends before
// all took effect.
func (m *moving) inLane(shard string, records []index.Record) bool {
	m.Helper()
	p := m.s.Projector()
	at, err := p.Open(m.Context(), shard, time.Time{})
	testkit.Must(m, err)
	queues := map[int][]projector.Job{}
	var buckets []int
	for _, r := range records {
		testkit.Must(m, p.Divide(r, func(bucket int, c index.Change) {
			if queues[bucket] == nil {
				buckets = append(buckets, bucket)
			}
			queues[bucket] = append(queues[bucket], projector.Job{Change: c, Shard: at, Bucket: bucket})
		}))
	}
	var lane []projector.Job // in the order in which they are projected
	for len(buckets) > 0 {
		i := m.random.IntN(len(buckets))
		queue := queues[buckets[i]]
		n := 1 + m.random.IntN(len(queue))
		lane = append(lane, queue[:n]...)
		if queues[buckets[i]] = queue[n:]; n == len(queue) {
			buckets = slices.Delete(buckets, i, i+1)
		}
	}
	ctx, cancel := context.WithTimeout(m.Context(), time.Hour)
	defer cancel()
	for len(lane) > 0 {
		if m.random.IntN(10) == 0 {
			return false
		}
		lost := m.random.IntN(5) == 0 // are some answers
		if lost {
			m.client.Set(faults.Rates{Lost: 0.2, Latency: time.Millisecond})
		}
		n, _, err := p.Step(ctx, lane[:1+m.random.IntN(len(lane))])
		m.client.Set(faults.Rates{})
		if lane = lane[n:]; err != nil && !(lost && errs.CodeOf(err) == errs.Unavailable) {
			m.Fatal(err)
		}
	}
	return true
}
