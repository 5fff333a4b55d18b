package stream_test

import (
	"context"
	"fmt"
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
func manyComments(n int) (all []store.Comment) {
	for i := range n {
		all = append(all, store.Comment{
			ID: fmt.Sprintf("many-%05d", i), ProductID: fmt.Sprintf("p%d", i%400), Language: languages[i%3], Rating: 1 + i%5, CreatedAt: time.Unix(1e8+int64(i), 0).UTC(),
		})
	}
	return all
}

// importAll imports comments, and calls between after each batch.
func importAll(t testing.TB, s *store.Store, comments []store.Comment, between func()) {
	t.Helper()
	for batch := range slices.Chunk(comments, 1000) {
		testkit.Value(s.Import(t.Context(), batch))(t)
		between()
	}
}

// Thousands of records of many products, over shards that close.
func TestManyRecords(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		all := manyComments(1500)
		c, _ := w.run()
		importAll(w, w.s, all, w.db.Split)
		wait(w, c)
		wantCounted(w, w.s, len(all))
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
		importAll(w, w.s, all, func() {})
		wait(w, c)
		wantCounted(w, w.s, len(all))
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
