package store_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// project brings what is derived up to date, as a projector does.
func project(t testing.TB, s *store.Store) {
	t.Helper()
	storetest.Project(t, s.Projector())
}

// becomeKept waits until the statistics are kept.
func becomeKept(t testing.TB, s *store.Store) settings.Settings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		now, err := s.Settings().Read(ctx)
		testkit.Must(t, err)
		if now.State == settings.StateKept {
			return now
		}
		testkit.Need(t, table.Sleep(ctx, 5*time.Millisecond) == nil, "they are still %s", now.State)
	}
}

// Until a rebuild has ended, no reader sees half of it. An interrupted rebuild is resumed,
// and two at once do not disturb each other.
func TestRebuildIsResumed(t *testing.T) { inMemory(t, rebuildIsResumed) }

func rebuildIsResumed(t *testing.T) {
	var c clock
	s := quick(t, &c)
	m := randomModel(testkit.Random(t), "1", 60)
	importAll(t, s, m[1:])
	project(t, s)
	first, stop := storetest.Consume(t, s.Projector(), stream.Options{})
	ctx, interrupt := context.WithCancel(t.Context())
	err := first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { interrupt() }})
	testkit.Need(t, errors.Is(err, context.Canceled), "%v", err)
	stop()
	wantCode(t, testkit.Err(s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})), "UNAVAILABLE")
	importAll(t, s, m[:1])
	second, _ := storetest.Consume(t, s.Projector(), stream.Options{})
	err = second.Rebuild(t.Context(), stream.RebuildOptions{})
	testkit.Need(t, errors.Is(err, stream.ErrOtherRebuild), "the first one ended a moment ago: %v", err)
	c.advance(2 * time.Minute) // now it is given up, and the consumer takes it up again
	becomeKept(t, s)
	project(t, s)
	testkit.Equal(t, storetest.Verified(t, s.Projector()).Comments, int64(len(m)), "comments")
	meta, err := s.Settings().Read(t.Context())
	testkit.Check(t, err == nil && meta.Generation == 1, "%+v, %v", meta, err)
}

// When a rebuild ends the leaderboard is as the counts are, although a place is written
// but once a minute otherwise.
func TestARebuildEndsWithTheLeaderboard(t *testing.T) { inMemory(t, rebuildEndsWithTheLeaderboard) }

func rebuildEndsWithTheLeaderboard(t *testing.T) {
	api := &storetest.Calls{API: storetest.Client(t)}
	s := openStore(t, api, storetest.TableName(t), store.Options{MetaAge: 20 * time.Millisecond, CallTimeout: 2 * time.Second})
	counted := func(ctx context.Context) error {
		for {
			it, err := s.Projector().Table().Get(ctx, "the statistics", table.KeyOf(key.Product("42"), key.StatisticsSK("")))
			if err != nil {
				return err
			}
			if n, err := table.Number(it, item.AttrGeneration); err != nil || n > 0 {
				return err
			}
			if err := table.Sleep(ctx, 5*time.Millisecond); err != nil {
				return err
			}
		}
	}
	var touched atomic.Bool // one comment is, and the others when that one was counted
	api.Do = func(ctx context.Context, in any, call storetest.Call) error {
		if update, ok := in.(*dynamodb.UpdateItemInput); ok && strings.HasPrefix(*update.UpdateExpression, "SET gen = ") && touched.Swap(true) {
			ctx = context.WithoutCancel(ctx) // what is projected in a rebuild waits longer than a call may take
			if err := counted(ctx); err != nil {
				return err
			}
		}
		_, err := call(ctx)
		return err
	}
	var all []store.Comment
	for i, id := range []string{"1", "2", "3"} {
		c := saying(id, i)
		c.Rating = 5
		all = append(all, c)
	}
	importAll(t, s, all)
	project(t, s) // so the rebuild alone touches comments
	consumer, stop := storetest.Consume(t, s.Projector(), stream.Options{Poll: 5 * time.Millisecond})
	defer stop()
	testkit.Must(t, consumer.Rebuild(t.Context(), stream.RebuildOptions{}))
	fresh := storeOn(t, storetest.Client(t), s.Table())
	for _, language := range []string{"", "en"} {
		board, err := fresh.Leaderboard(t.Context(), store.Board{Language: language}, store.RankWindow{Limit: 10})
		testkit.Check(t, err == nil && len(board.Items) == 1 && board.Items[0].Number == 3, "the leaderboard of %q is %+v, %v", language, board, err)
	}
}
