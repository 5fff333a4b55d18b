package store_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/table"
)

// When a rebuild ends the leaderboard is as the counts are, although a place is written
// but once a minute otherwise.
func TestARebuildEndsWithTheLeaderboard(t *testing.T) {
	t.Parallel()
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
	must(t, consumer.Rebuild(t.Context(), stream.RebuildOptions{}))
	fresh := storeOn(t, storetest.Client(t), s.Table())
	for _, language := range []string{"", "en"} {
		board, err := fresh.Leaderboard(t.Context(), language, store.RankWindow{Limit: 10})
		if err != nil || len(board.Items) != 1 || board.Items[0].FiveStars != 3 {
			t.Errorf("the leaderboard of %q is %+v, %v", language, board, err)
		}
	}
}
