package stream_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
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

// history writes random changes.
type history struct {
	t        testing.TB
	s        *store.Store
	random   *rand.Rand
	comments map[string]bool // by id
}

func newHistory(t testing.TB, s *store.Store, random *rand.Rand) *history {
	return &history{t: t, s: s, random: random, comments: map[string]bool{}}
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
	if len(h.comments) == 0 {
		kind = 0
	}
	switch {
	case kind < 4:
		c, err := h.s.Create(ctx, store.NewComment{ProductID: pick(r, products), Language: pick(r, languages), Rating: 1 + r.IntN(5), Text: "text"})
		h.comments[c.ID] = true
		return err
	case kind < 5:
		var batch []store.Comment
		for _, n := range r.Perm(40)[:5] {
			c := store.Comment{ID: fmt.Sprint("imported-", n), ProductID: pick(r, products), Language: pick(r, languages), Rating: 1 + r.IntN(5), CreatedAt: time.Unix(1e8, 0).UTC()}
			batch, h.comments[c.ID] = append(batch, c), true
		}
		_, err := h.s.Import(ctx, batch)
		return err
	}
	change := store.Change{ID: pick(r, slices.Sorted(maps.Keys(h.comments)))}
	switch {
	case kind < 7:
		delete(h.comments, change.ID)
		_, err := h.s.Delete(ctx, change.ID, nil)
		return err
	case r.IntN(4) == 0: // of no interest to statistics
		change.Title = aws.String(strconv.Itoa(r.Int()))
	default:
		change.Rating, change.Language = aws.Int(1+r.IntN(5)), aws.String(pick(r, languages))
	}
	_, err := h.s.Update(ctx, change)
	return err
}

// check fails the test unless the statistics are those of the history's comments.
func (h *history) check() {
	h.t.Helper()
	wantCounted(h.t, h.s, len(h.comments))
}

// wantCounted fails the test unless the statistics are those of so many comments.
func wantCounted(t testing.TB, s *store.Store, comments int) {
	t.Helper()
	testkit.Equal(t, storetest.Verified(t, s.Projector()).Comments, int64(comments), "the number of comments")
}
