package stream_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/simulation/double"
)

// manyComments are of 400 products, all their own.
func manyComments(n int) map[string]store.Comment {
	out := make(map[string]store.Comment, n)
	for i := range n {
		id := fmt.Sprintf("many-%05d", i)
		out[id] = store.Comment{
			ID: id, ProductID: fmt.Sprintf("p%d", i%400), Language: languages[i%3], Rating: 1 + i%5, CreatedAt: time.Unix(1e8+int64(i), 0).UTC(),
		}
	}
	return out
}

// importMany imports comments, and calls between after each batch.
func importMany(t testing.TB, s *store.Store, comments map[string]store.Comment, between func()) {
	t.Helper()
	var list []store.Comment
	for _, id := range slices.Sorted(maps.Keys(comments)) {
		list = append(list, comments[id])
	}
	for batch := range slices.Chunk(list, 1000) {
		testkit.Value(s.Import(t.Context(), batch))(t)
		between()
	}
}

// wantCounted compares the statistics of every scope of comments.
func wantCounted(t testing.TB, s *store.Store, comments map[string]store.Comment) {
	t.Helper()
	if _, err := s.Settings().Read(t.Context()); err != nil { // it may remember an older state
		t.Fatal(err)
	}
	want := counted(comments)
	scopes := slices.Collect(maps.Keys(want))
	got := testkit.Value(s.Statistics(t.Context(), scopes))(t)
	for i, scope := range scopes {
		testkit.Equal(t, got[i].Tally, want[scope].Tally, "%+v", scope)
	}
}

// Thousands of records of many products, over shards that close.
func TestManyRecords(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		all := manyComments(1500)
		c, _ := w.run()
		importMany(w, w.s, all, w.db.Split)
		wait(w, c)
		wantCounted(w, w.s, all)
		w.wantNoRebuild()
	})
}

// All open shards are read, and waited for, however many there are: a probe
// reaches each of them.
func TestManyShards(t *testing.T) {
	inWorld(t, double.Options{Shards: 250}, func(w *world) {
		o := quick(w)
		o.Poll = 500 * time.Millisecond
		c := w.consumer(w.client, o)
		run(w, c)
		all := manyComments(300)
		importMany(w, w.s, all, func() {})
		wait(w, c)
		wantCounted(w, w.s, all)
		testkit.Equal(w, len(c.Status().Shards), 250, "shards are open")
		for _, sh := range w.shards() {
			if w.look(sh.ShardId).Fresh() {
				w.Errorf("shard %s was never begun", *sh.ShardId)
			}
		}
	})
}

// late lists shards without those it hides.
type late struct {
	stream.API
	mu     sync.Mutex
	hidden string
	hid    int
}

func (l *late) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	out, err := l.API.DescribeStream(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out.StreamDescription.Shards = slices.DeleteFunc(out.StreamDescription.Shards, func(sh types.Shard) bool {
		hide := aws.ToString(sh.ShardId) == l.hidden
		if hide {
			l.hid++
		}
		return hide
	})
	return out, nil
}

// A child that is listed before its parent waits for it: nothing is lost, and
// nothing is counted in the wrong order.
func TestAChildListedBeforeItsParent(t *testing.T) {
	inWorld(t, double.Options{}, func(w *world) {
		w.h.write(60)
		w.db.Split()
		w.h.write(20)
		api := &late{API: w.client, hidden: *w.shards()[0].ShardId}
		o := quick(w)
		o.Unlisted = time.Hour
		c := w.consumer(api, o)
		run(w, c)
		until(w, "children were listed alone", func() bool {
			api.mu.Lock()
			defer api.mu.Unlock()
			return api.hid > 5
		})
		if st := c.Status(); st.Records != 0 || st.Transactions != 0 {
			w.Errorf("children were read before their parent: %+v", st)
		}
		api.mu.Lock()
		api.hidden = ""
		api.mu.Unlock()
		wait(w, c)
		w.h.check()
		w.wantNoRebuild()
	})
}
