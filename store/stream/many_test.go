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

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// manyComments are of 400 products, all their own.
func manyComments(n int) map[string]store.Comment {
	out := make(map[string]store.Comment, n)
	for i := range n {
		id := fmt.Sprintf("many-%05d", i)
		out[id] = store.Comment{
			ID: id, ProductID: fmt.Sprintf("p%d", i%400), Language: languages[i%3], Rating: 1 + i%5, CreatedAt: time.Unix(1e9+int64(i), 0).UTC(),
		}
	}
	return out
}

func importMany(t *testing.T, s *store.Store, comments map[string]store.Comment) {
	t.Helper()
	var list []store.Comment
	for _, id := range slices.Sorted(maps.Keys(comments)) {
		list = append(list, comments[id])
	}
	for batch := range slices.Chunk(list, 500) {
		if _, err := s.Import(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
	}
}

// wantCounted compares the statistics of every scope of comments.
func wantCounted(t *testing.T, s *store.Store, comments map[string]store.Comment) {
	t.Helper()
	if _, err := s.Settings().Read(t.Context()); err != nil { // it may remember an older state
		t.Fatal(err)
	}
	want := counted(comments)
	scopes := slices.Collect(maps.Keys(want))
	got, err := s.Statistics(t.Context(), scopes)
	if err != nil {
		t.Fatal(err)
	}
	for i, scope := range scopes {
		if got[i].Tally != want[scope].Tally {
			t.Errorf("%+v: got %+v, want %+v", scope, got[i].Tally, want[scope].Tally)
		}
	}
}

// Thousands of records of many products, over shards that close.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	all := manyComments(4000)
	dealt := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{Shards: 2, Close: 1500})
	c := stream.New(dealt, s.Projector(), quick(t))
	run(t, c)
	importMany(t, s, all)
	wait(t, c)
	wantCounted(t, s, all)
	if now, err := s.Settings().Read(t.Context()); err != nil || now.State != settings.StateKept || now.Generation != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}

// All open shards are read, and waited for, however many there are: a probe
// reaches each of them.
func TestManyShards(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	dealt := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{Shards: 250})
	o := quick(t)
	o.Poll = 500 * time.Millisecond
	c := stream.New(dealt, s.Projector(), o)
	run(t, c)
	all := manyComments(300)
	importMany(t, s, all)
	wait(t, c)
	wantCounted(t, s, all)
	if n := len(c.Status().Shards); n != 250 {
		t.Errorf("%d shards are open", n)
	}
	for _, sh := range dealt.Dealt() {
		at, err := s.Projector().Look(t.Context(), sh.ID)
		if err != nil || at.Fresh() {
			t.Errorf("shard %s was never begun: %v", sh.ID, err)
		}
	}
}

// The number of groups changes while two consumers are under load.
func TestGroupsChange(t *testing.T) {
	t.Parallel()
	client, table := storetest.Client(t), storetest.TableName(t)
	s := storeOn(t, client, table, store.Options{})
	dealt := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{Shards: 2})
	begin := func() (*stream.Consumer, func()) {
		c := stream.New(dealt, store.New(client, table, store.Options{}).Projector(), quick(t))
		return c, run(t, c)
	}
	first, _ := begin()
	second, stopSecond := begin()
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	for _, groups := range []int{5, 1, 64, 16} {
		h.write(20)
		if _, err := s.Settings().Change(t.Context(), func(now *settings.Settings) (bool, error) {
			now.Groups = groups
			return true, nil
		}); err != nil {
			t.Fatal(err)
		}
		h.write(20)
		until(t, "every shard has the new groups", func() bool {
			for _, sh := range dealt.Dealt() {
				at, err := s.Projector().Look(t.Context(), sh.ID)
				if err != nil {
					t.Fatal(err)
				}
				if at.Groups != groups {
					return false
				}
			}
			return true
		})
		wait(t, first)
		wait(t, second)
		h.check()
	}
	stopSecond()
	h.write(20)
	wait(t, first)
	h.check()
	if now, err := s.Settings().Read(t.Context()); err != nil || now.State != settings.StateKept || now.Generation != 0 {
		t.Errorf("%+v, %v", now, err)
	}
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
	t.Parallel()
	s := newStore(t)
	random := testkit.Random(t)
	h := newHistory(t, s, random)
	dealt := storetest.NewReshard(storetest.Streams(t), storetest.ReshardOptions{Shards: 1, Close: 60})
	h.write(60)
	api := &late{API: dealt, hidden: "shardId-00000000-0000"}
	o := quick(t)
	o.Unlisted = time.Hour
	c := stream.New(api, s.Projector(), o)
	run(t, c)
	until(t, "children were listed alone", func() bool {
		api.mu.Lock()
		defer api.mu.Unlock()
		return api.hid > 5
	})
	if st := c.Status(); st.Records != 0 || st.Transactions != 0 {
		t.Errorf("children were read before their parent: %+v", st)
	}
	api.mu.Lock()
	api.hidden = ""
	api.mu.Unlock()
	wait(t, c)
	h.check()
	if now, err := s.Settings().Read(t.Context()); err != nil || now.State != settings.StateKept || now.Generation != 0 {
		t.Errorf("%+v, %v", now, err)
	}
}
