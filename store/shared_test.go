package store_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/read/shared"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// gated counts reads, and holds queries back while it is closed.
type gated struct {
	storetest.Calls
	queries, batches atomic.Int64

	mu   sync.Mutex
	gate chan struct{} // nil is open
}

func newGate(api store.API) *gated {
	g := &gated{}
	g.API, g.Do = api, func(ctx context.Context, in any, call storetest.Call) error {
		switch in.(type) {
		case *dynamodb.BatchGetItemInput:
			g.batches.Add(1)
		case *dynamodb.QueryInput:
			g.queries.Add(1)
			g.mu.Lock()
			gate := g.gate
			g.mu.Unlock()
			if gate != nil {
				select {
				case <-gate:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		_, err := call(ctx)
		return err
	}
	return g
}

func (g *gated) close() (open func()) {
	gate := make(chan struct{})
	g.mu.Lock()
	g.gate = gate
	g.mu.Unlock()
	return func() {
		g.mu.Lock()
		g.gate = nil
		g.mu.Unlock()
		close(gate)
	}
}

// await waits until so many queries have begun.
func (g *gated) await(t *testing.T, queries int64) {
	t.Helper()
	for deadline := time.Now().Add(90 * time.Second); g.queries.Load() < queries; time.Sleep(time.Millisecond) {
		testkit.Need(t, !time.Now().After(deadline), "%d queries, want %d", g.queries.Load(), queries)
	}
}

func newGated(t *testing.T, o store.Options) (*store.Store, *gated) {
	t.Helper()
	return gatedOn(t, storetest.Client(t), storetest.TableName(t), o)
}

// doubled is newGated on a table in memory, for tests in a bubble.
func doubled(t *testing.T) (*store.Store, *gated) {
	t.Helper()
	return gatedOn(t, double.New(double.Options{}).Client("test"), "comments", store.Options{})
}

func gatedOn(t *testing.T, api store.API, table string, o store.Options) (*store.Store, *gated) {
	t.Helper()
	g := newGate(api)
	s := openStore(t, g, table, o)
	importAll(t, s, randomModel(testkit.Random(t), "42", 50))
	return s, g
}

// Those who ask for the same page at the same time share one query, and each
// has the comments for itself.
func TestReadsUnderWayAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := doubled(t)
		open := g.close()
		const callers = 20
		pages := make([]store.Page, callers)
		errors := make([]error, callers)
		var group sync.WaitGroup
		for i := range callers {
			group.Go(func() {
				limit := 10
				if i == 0 {
					limit = 11 // another page
				}
				pages[i], errors[i] = s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: limit})
			})
		}
		synctest.Wait() // each has begun a query, or waits for another one's
		open()
		group.Wait()
		testkit.Equal(t, g.queries.Load(), 2, "queries for two different pages")
		for i := 2; i < callers; i++ {
			if errors[i] != nil || len(pages[i].Items) != 10 {
				t.Fatalf("caller %d: %d comments, %v", i, len(pages[i].Items), errors[i])
			}
		}
		_, err := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10})
		testkit.Check(t, err == nil && g.queries.Load() == 3, "afterwards: %d queries, %v; nothing is to be kept", g.queries.Load(), err)
	})
}

// A caller that leaves takes its own answer along, no other's; when all have
// left the read ends.
func TestCallersLeaveSharedReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g := doubled(t)
		open := g.close()
		read := func(ctx context.Context) <-chan error {
			done := make(chan error, 1)
			go func() { // ends with its read, which every case below waits for
				_, err := s.Page(ctx, filterOf("42", "", 0), store.Window{Limit: 10})
				done <- err
			}()
			return done
		}
		leaving, leave := context.WithCancel(t.Context())
		first := read(leaving)
		synctest.Wait()
		testkit.Equal(t, g.queries.Load(), 1, "queries")
		second := read(t.Context())
		synctest.Wait() // the second one has joined
		leave()
		wantCode(t, <-first, errs.Unavailable)
		open()
		if err := <-second; err != nil || g.queries.Load() != 2 {
			t.Errorf("who stayed got %v after %d queries", err, g.queries.Load())
		}

		defer g.close()()
		short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		err := <-read(short)
		testkit.Check(t, errors.Is(err, context.DeadlineExceeded), "got %v", err)
	})
}

// What a store writes is in every page that is asked for after it: reads that
// began before are not shared, and pages that were kept are not given again.
func TestOwnWritesAreSeenThroughSharedReads(t *testing.T) {
	var c clock
	s, g := newGated(t, store.Options{PageAge: time.Minute, Now: c.now})
	c.advance(time.Second)
	page := func() store.Page {
		t.Helper()
		p := pageOf(t, s, filterOf("42", "", 0), store.Window{Limit: 10})
		return p
	}
	page()
	open := g.close()
	before := make(chan struct{})
	go func() { // waited for below
		defer close(before)
		_, _ = s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 9})
	}()
	g.await(t, 2)
	made := mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 3, Language: "en"})
	seen := make(chan store.Page, 1)
	go func() { // waited for below
		p, _ := s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 9})
		seen <- p
	}()
	g.await(t, 3)
	open()
	<-before
	p := <-seen
	testkit.Check(t, len(p.Items) > 0 && p.Items[0].ID == made.ID, "a read that began before the write was shared")
	p = page()
	testkit.Check(t, p.Items[0].ID == made.ID, "a page from before the write was given again")
	text := "edited"
	update(t, s, store.Change{ID: made.ID, Text: &text})
	p = page()
	testkit.Check(t, p.Items[0].Text == text, "an edit is not shown")
	c.advance(time.Second)
	page()
	remove(t, s, made.ID)
	p = page()
	testkit.Check(t, p.Items[0].ID != made.ID, "a deleted comment is shown")
	c.advance(time.Second)
	page()
	imported := saying("imported", 1)
	imported.CreatedAt = time.Now().Add(time.Hour)
	importAll(t, s, []store.Comment{imported})
	p = page()
	testkit.Check(t, p.Items[0].ID == imported.ID, "an imported comment is not shown")
}

// Pages and statistics are kept for their time and no longer, and not at all
// right after a write, when an index may not show it yet.
func TestPagesAreKept(t *testing.T) {
	var c clock
	s, g := newGated(t, store.Options{PageAge: time.Second, Now: c.now})
	project(t, s)
	c.advance(time.Minute)
	queries, batches := g.queries.Load(), g.batches.Load()
	read := func(wantQueries, wantBatches int64) {
		t.Helper()
		testkit.Value(s.Page(t.Context(), filterOf("42", "", 0), store.Window{Limit: 10}))(t)
		testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}}))(t)
		if q, b := g.queries.Load()-queries, g.batches.Load()-batches; q != wantQueries || b != wantBatches {
			t.Errorf("%d queries and %d batches, want %d and %d", q, b, wantQueries, wantBatches)
		}
	}
	read(1, 1)
	read(1, 1)
	c.advance(900 * time.Millisecond)
	read(1, 1)
	testkit.Value(s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}, {ProductID: "42", Language: "en"}}))(t)
	read(1, 2)
	c.advance(200 * time.Millisecond)
	read(2, 3)
	mustCreate(t, s, store.NewComment{ProductID: "42", Rating: 3, Language: "en"})
	batches = g.batches.Load() - 3 // announcing reads, too
	read(3, 4)
	read(4, 4) // the index may not have shown the comment
	c.advance(300 * time.Millisecond)
	read(5, 4)
	read(5, 4)
}

// What another server writes is shown when a page and a count are as old as they may be,
// and at once to people who share no reads.
func TestAnotherServersWritesShowInTime(t *testing.T) {
	var c clock
	l, name := storetest.Client(t), storetest.TableName(t)
	here := openStore(t, l, name, store.Options{PageAge: time.Hour, Now: c.now})
	there := openStore(t, l, name, store.Options{})
	importAll(t, there, randomModel(testkit.Random(t), "42", 5))
	project(t, there)
	shows := func(ctx context.Context, newest string, total int) {
		t.Helper()
		p := testkit.Value(here.Page(ctx, filterOf("42", "", 0), store.Window{Limit: 10}))(t)
		counts := testkit.Value(here.Statistics(ctx, []stats.Scope{{ProductID: "42"}}))(t)
		testkit.Check(t, p.Items[0].ID == newest && counts[0].Total() == total, "%s is the newest of %d, want %s of %d", p.Items[0].ID, counts[0].Total(), newest, total)
	}
	c.advance(2 * time.Hour)
	before := pageOf(t, here, filterOf("42", "", 0), store.Window{Limit: 10}).Items[0].ID
	shows(t.Context(), before, 5)
	made := mustCreate(t, there, store.NewComment{ProductID: "42", Rating: 3, Language: "en"})
	project(t, there)
	c.advance(30 * time.Minute)
	shows(t.Context(), before, 5)
	shows(shared.Fresh(t.Context()), made.ID, 6)
	shows(t.Context(), before, 5)
	c.advance(30 * time.Minute)
	shows(t.Context(), made.ID, 6)
}
