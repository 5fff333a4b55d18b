package stream_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/projector"
	"product-comments/store/derive/stream"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// patience is how long a test waits for what takes milliseconds.
const patience = 90 * time.Second

// newStore returns a store on a new table.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	return storeOn(t, storetest.Client(t), storetest.TableName(t), store.Options{})
}

func storeOn(t testing.TB, api store.API, table string, o store.Options) *store.Store {
	t.Helper()
	s := store.New(api, table, o)
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

// world is a store on DynamoDB in memory, under a virtual clock, for faults of streams and
// statistics.
type world struct {
	*testing.T
	db     *double.DB
	client *double.Client
	s      *store.Store
	h      *history
}

// inWorld runs a test in a world of its own.
func inWorld(t *testing.T, o double.Options, test func(*world)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o.Seed = testkit.Seed(t)
		db := double.New(o)
		w := &world{T: t, db: db, client: db.Client("test")}
		w.s = storeOn(t, w.client, "comments", store.Options{})
		w.h = newHistory(t, w.s, rand.New(rand.NewPCG(o.Seed, 1)))
		test(w)
	})
}

// consumer returns a consumer of the world's stream, or of what api makes of it.
func (w *world) consumer(api stream.API, o stream.Options) *stream.Consumer {
	return stream.New(api, w.s.Projector(), o)
}

// run runs a consumer of the world's stream.
func (w *world) run() (*stream.Consumer, func()) {
	c := w.consumer(w.client, quick(w))
	return c, run(w, c)
}

// shards lists the shards of the stream.
func (w *world) shards() (list []types.Shard) {
	w.Helper()
	arn := testkit.Value(w.s.Projector().Table().StreamARN(w.Context()))(w)
	for in := (&dynamodbstreams.DescribeStreamInput{StreamArn: &arn}); ; {
		out := testkit.Value(w.client.DescribeStream(w.Context(), in))(w)
		list = append(list, out.StreamDescription.Shards...)
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return list
		}
	}
}

// look returns a shard's checkpoint.
func (w *world) look(id *string) *projector.Shard {
	w.Helper()
	return testkit.Value(w.s.Projector().Look(w.Context(), *id))(w)
}

// state returns the state of the statistics and their generation.
func (w *world) state() (settings.State, int) {
	w.Helper()
	now := testkit.Value(w.s.Settings().Read(w.Context()))(w)
	return now.State, now.Generation
}

// wantNoRebuild fails the test if the statistics were not kept all the time.
func (w *world) wantNoRebuild() {
	w.Helper()
	if state, generation := w.state(); state != settings.StateKept || generation != 0 {
		w.Errorf("the statistics are %v, generation %d", state, generation)
	}
}

func (w *world) awaitRebuilt() {
	w.Helper()
	until(w, "the statistics are rebuilt", func() bool {
		state, generation := w.state()
		return state == settings.StateKept && generation > 0
	})
}

// quick are options that make a test short.
func quick(t testing.TB) stream.Options {
	o := stream.Options{Poll: 10 * time.Millisecond, Discover: 100 * time.Millisecond, Unlisted: 500 * time.Millisecond}
	if testing.Verbose() {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	return o
}

// run runs a consumer until stop is called, or the test ends.
func run(t testing.TB, c *stream.Consumer) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		t.Helper()
		cancel()
		select {
		case err := <-ended:
			testkit.Check(t, err == nil, "Run: %v", err)
		case <-time.After(patience):
			t.Error("Run does not end")
		}
	})
	t.Cleanup(stop)
	return stop
}

func wait(t testing.TB, c *stream.Consumer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := c.Wait(ctx)
	testkit.Need(t, err == nil, "Wait: %v; %+v", err, c.Status())
}

// until waits for a condition that nothing announces.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(2 * time.Millisecond) {
		testkit.Need(t, !time.Now().After(deadline), "in vain: %s", what)
	}
}

var (
	products  = []string{"a", "b", "c", "d", "e", "f"}
	languages = []string{"en", "de", "fr"}
)

// history writes random changes and keeps the expected result.
type history struct {
	t        testing.TB
	s        *store.Store
	random   *rand.Rand
	comments map[string]store.Comment
	ids      []string // some are deleted
}

func newHistory(t testing.TB, s *store.Store, random *rand.Rand) *history {
	return &history{t: t, s: s, random: random, comments: map[string]store.Comment{}}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// write makes n changes.
func (h *history) write(n int) {
	h.t.Helper()
	for range n {
		testkit.Must(h.t, h.change())
	}
}

func (h *history) change() error {
	ctx, r := h.t.Context(), h.random
	kind := r.IntN(10)
	if len(h.ids) == 0 {
		kind = 0
	}
	switch {
	case kind < 4:
		c, err := h.s.Create(ctx, store.NewComment{ProductID: pick(r, products), Language: pick(r, languages), Rating: 1 + r.IntN(5), Text: "text"})
		h.ids = append(h.ids, c.ID)
		h.comments[c.ID] = c
		return err
	case kind < 5:
		var batch []store.Comment
		for range 5 {
			id := fmt.Sprintf("imported-%d", r.IntN(40))
			c := store.Comment{ID: id, ProductID: pick(r, products), Language: pick(r, languages), Rating: 1 + r.IntN(5), CreatedAt: time.Unix(1e8, 0).UTC()}
			if _, twice := find(batch, id); twice {
				continue
			}
			batch = append(batch, c)
			h.ids = append(h.ids, id)
			h.comments[id] = c
		}
		_, err := h.s.Import(ctx, batch)
		return err
	}
	id := pick(r, h.ids)
	if _, exists := h.comments[id]; !exists {
		return nil
	}
	if kind < 7 {
		_, err := h.s.Delete(ctx, id, nil)
		delete(h.comments, id)
		return err
	}
	change := store.Change{ID: id, Rating: aws.Int(1 + r.IntN(5))}
	if r.IntN(2) == 0 {
		change.Language = aws.String(pick(r, languages))
	}
	if r.IntN(4) == 0 { // of no interest to statistics
		change = store.Change{ID: id, Title: aws.String(strconv.Itoa(r.Int()))}
	}
	c, err := h.s.Update(ctx, change)
	h.comments[id] = c
	return err
}

func find(comments []store.Comment, id string) (store.Comment, bool) {
	for _, c := range comments {
		if c.ID == id {
			return c, true
		}
	}
	return store.Comment{}, false
}

// counted is what statistics must say of comments.
func counted(comments map[string]store.Comment) map[stats.Scope]stats.Statistics {
	deltas := stats.Deltas{}
	for _, c := range comments {
		deltas.Change(nil, &stats.Counted{ProductID: c.ProductID, Language: c.Language, Rating: c.Rating, HasText: c.Text != ""}, 0)
	}
	out := map[stats.Scope]stats.Statistics{}
	for scope, delta := range deltas {
		out[scope] = stats.Statistics{Tally: delta.Tally, Languages: delta.Languages, Details: delta.Details}
	}
	return out
}

// check compares the table's statistics with what the history amounts to.
func (h *history) check() {
	h.t.Helper()
	var scopes []stats.Scope
	for _, p := range products {
		for _, l := range append([]string{""}, languages...) {
			scopes = append(scopes, stats.Scope{ProductID: p, Language: l})
		}
	}
	if _, err := h.s.Settings().Read(h.t.Context()); err != nil { // afresh: the store may remember an older state
		h.t.Fatal(err)
	}
	got := testkit.Value(h.s.Statistics(h.t.Context(), scopes))(h.t)
	want := counted(h.comments)
	for i, scope := range scopes {
		if len(got[i].Languages) == 0 {
			got[i].Languages, got[i].Details = nil, nil
		}
		for language, d := range got[i].Details { // the history knows no sizes
			d.Bytes = stats.Tally{}
			got[i].Details[language] = d
		}
		if !reflect.DeepEqual(got[i], want[scope]) {
			h.t.Errorf("%+v: got %+v, want %+v", scope, got[i], want[scope])
		}
	}
}
