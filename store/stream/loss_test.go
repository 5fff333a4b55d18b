package stream_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// clock can be moved ahead.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// lossCase is a table whose stream or statistics lose something.
type lossCase struct {
	*testing.T
	clock clock
	s     *store.Store
	h     *history
	dealt *storetest.Reshard
}

func newLossCase(t *testing.T, o storetest.ReshardOptions) *lossCase {
	c := &lossCase{T: t}
	// A short timeout makes a rebuild short, which waits for calls under way.
	c.s = storeOn(t, storetest.Client(t), storetest.TableName(t), store.Options{CallTimeout: 2 * time.Second, MetaAge: 100 * time.Millisecond, Now: c.clock.now})
	random := testkit.Random(t)
	c.h = newHistory(t, c.s, random)
	c.dealt = storetest.NewReshard(storetest.Streams(t), o)
	return c
}

func (c *lossCase) run() (*stream.Consumer, func()) {
	consumer := stream.New(c.dealt, c.s.Projector(), quick(c.T))
	return consumer, run(c.T, consumer)
}

func (c *lossCase) trim() {
	c.Helper()
	arn, err := c.s.Projector().Table().StreamARN(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	if err := c.dealt.Trim(c.Context(), arn); err != nil {
		c.Fatal(err)
	}
}

func (c *lossCase) meta() settings.Settings {
	c.Helper()
	meta, err := c.s.Settings().Read(c.Context())
	if err != nil {
		c.Fatal(err)
	}
	return meta
}

func (c *lossCase) awaitRebuilt() {
	c.Helper()
	until(c, "the statistics are rebuilt", func() bool {
		meta := c.meta()
		return meta.State == settings.StateKept && meta.Generation > 0
	})
}

// What was read not long ago may be dropped.
func TestARestartAfterATrim(t *testing.T) {
	t.Parallel()
	c := newLossCase(t, storetest.ReshardOptions{Shards: 3})
	c.h.write(40)
	first, stop := c.run()
	wait(t, first)
	until(t, "everything is read", func() bool { return caughtUp(first.Status()) })
	stop()
	c.trim()
	c.clock.ahead.Store(int64(20 * time.Hour))
	second, _ := c.run()
	c.h.write(40)
	wait(t, second)
	c.h.check()
	if meta := c.meta(); meta.State != settings.StateKept || meta.Generation != 0 {
		t.Errorf("the statistics are %v", meta)
	}
	if c.dealt.Calls("trimmed") == 0 {
		t.Error("nothing was trimmed")
	}
}

func caughtUp(s stream.Status) bool {
	for _, sh := range s.Shards {
		if !sh.CaughtUp {
			return false
		}
	}
	return s.Started && s.Lag == 0
}

// Records that were dropped before they were read are counted by a rebuild.
func TestLostRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		options storetest.ReshardOptions
	}{
		{"of open shards", storetest.ReshardOptions{Shards: 2}},
		{"of shards that vanished", storetest.ReshardOptions{Shards: 1, Close: 80}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c := newLossCase(t, c.options)
			c.h.write(30)
			first, stop := c.run()
			wait(t, first)
			c.h.check()
			stop()
			c.h.write(120) // enough for a generation of shards
			c.trim()
			c.clock.ahead.Store(int64(25 * time.Hour))
			second, _ := c.run()
			c.run() // does not rebuild while the other one does
			c.h.write(10)
			c.awaitRebuilt()
			c.h.write(10)
			wait(t, second)
			c.awaitRebuilt() // the other one may have found the gap a moment later
			c.h.check()
		})
	}
}

// A count below zero shows that something else was lost.
func TestImpossibleStatistics(t *testing.T) {
	t.Parallel()
	c := newLossCase(t, storetest.ReshardOptions{Shards: 2})
	c.h.write(30)
	made, err := c.s.Create(t.Context(), store.NewComment{ProductID: "damaged", Rating: 5, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	consumer, _ := c.run()
	wait(t, consumer)
	if _, err := storetest.Client(t).DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: aws.String(c.s.Table()), Key: map[string]types.AttributeValue{
		key.PK: &types.AttributeValueMemberS{Value: key.Product("damaged")}, key.SK: &types.AttributeValueMemberS{Value: key.StatisticsSK("")},
	}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.s.Delete(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	c.awaitRebuilt()
	wait(t, consumer)
	c.h.check()
	if st := consumer.Status(); !strings.Contains(st.LastError, "below zero") {
		t.Errorf("%+v", st)
	}
}
