package stream_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/derive/stream"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// No process takes over a rebuild from a running process with a wrong clock. When that process
// dies, another one continues within two minutes.
func TestRebuildsWhereClocksDiffer(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Hour, 0, 5 * time.Hour} {
		t.Run(fmt.Sprintf("a clock is off by %s", off), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := double.New(double.Options{}).Client("test")
				process := func(off time.Duration) (*store.Store, *stream.Consumer) {
					s := store.New(client, "comments", store.Options{PlaceAge: -1, Now: func() time.Time { return time.Now().Add(off) }})
					return s, stream.New(client, s.Projector(), stream.Options{})
				}
				s, other := process(0)
				testkit.Must(t, s.EnsureTable(t.Context(), true))
				var file []store.Comment
				for i := range 180 {
					file = append(file, store.Comment{ID: fmt.Sprint(i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0)})
				}
				testkit.Value(s.Import(t.Context(), file))(t)
				run(t, other)
				_, first := process(off)
				stop := run(t, first)
				wait(t, first)
				meets := make(chan error, 1)
				meet := sync.OnceFunc(func() { go func() { meets <- other.Rebuild(t.Context(), stream.RebuildOptions{}) }() })
				err := first.Rebuild(t.Context(), stream.RebuildOptions{Rate: 4, Progress: func(string, int64) { meet() }})
				testkit.Check(t, err == nil, "it was not left alone: %v", err)
				err = <-meets
				testkit.Check(t, errors.Is(err, stream.ErrOtherRebuild), "another one that was begun in the meantime: %v", err)
				time.Sleep(2 * time.Minute)
				now, err := s.Settings().Read(t.Context())
				testkit.Need(t, err == nil && now.State == settings.StateKept && now.Generation == 1, "the statistics are %q, generation %d, %v", now.State, now.Generation, err)
				ctx, end := context.WithCancel(t.Context())
				defer end()
				err = first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { end() }})
				testkit.Need(t, errors.Is(err, context.Canceled), "it was to end in the middle: %v", err)
				stop()
				time.Sleep(2 * time.Minute)
				if now, err := s.Settings().Read(t.Context()); err != nil || now.State != settings.StateKept || now.Generation != 2 {
					t.Errorf("after two minutes the statistics are %q, generation %d, %v", now.State, now.Generation, err)
				}
			})
		})
	}
}

// A rebuild was interrupted, and the stream dropped the records of its touches
// before they were read: going on with it would count nothing. It begins again.
func TestTouchesThatWereLost(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		w.h.write(30)
		first, stop := w.run()
		wait(w, first)
		w.h.check()
		stop()
		ctx, crash := context.WithCancel(w.Context())
		defer crash()
		var touched atomic.Int64
		most := int64(len(w.h.comments))
		api := storetest.After(w.client, func(context.Context, *dynamodb.UpdateItemInput) {
			if touched.Add(1) == most {
				crash()
			}
		})
		err := stream.New(w.client, store.New(api, w.s.Table(), store.Options{PlaceAge: -1}).Projector(), quick(w)).Rebuild(ctx, stream.RebuildOptions{})
		if ctx.Err() == nil || err == nil {
			w.Fatalf("it touched %d of %d comments: %v", touched.Load(), most, err)
		}
		time.Sleep(25 * time.Hour)
		second, _ := w.run()
		w.awaitRebuilt()
		wait(w, second)
		w.h.check()
		if _, generation := w.state(); generation != 2 {
			w.Errorf("the generation is %d: it did not begin again", generation)
		}
	})
}

// trimmed reports whether the stream has dropped the record at which a shard's checkpoint is.
func (w *world) trimmed(sh streams.Shard) bool {
	w.Helper()
	arn := testkit.Value(w.s.Projector().Table().StreamARN(w.Context()))(w)
	at := w.look(sh.ShardId)
	_, err := w.client.GetShardIterator(w.Context(), &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &arn, ShardId: sh.ShardId, ShardIteratorType: streams.ShardIteratorTypeAfterSequenceNumber, SequenceNumber: &at.Sequence,
	})
	var dropped *streams.TrimmedDataAccessException
	return errors.As(err, &dropped)
}

// The stream may drop records that were read recently.
func TestARestartAfterATrim(t *testing.T) {
	inWorld(t, double.Options{Shards: 3}, func(w *world) {
		w.h.write(40)
		o := quick(w)
		o.Poll, o.Discover = time.Minute, time.Minute
		first := w.consumer(w.client, o)
		stop := run(w, first)
		time.Sleep(10 * time.Hour)
		if !caughtUp(first.Status()) {
			w.Errorf("%+v", first.Status())
		}
		stop()
		time.Sleep(20 * time.Hour)
		trimmed := 0
		for _, sh := range w.shards() {
			if w.trimmed(sh) {
				trimmed++
			}
		}
		if trimmed == 0 {
			w.Error("nothing was trimmed")
		}
		second, _ := w.run()
		w.h.write(40)
		wait(w, second)
		w.h.check()
		w.wantNoRebuild()
	})
}

func caughtUp(s stream.Status) bool {
	for _, sh := range s.Shards {
		if !sh.CaughtUp {
			return false
		}
	}
	return s.Started && s.Lag == 0
}

// Records that were dropped before they were read are counted by a rebuild, and so is a table
// that says nothing of its statistics.
func TestLostRecords(t *testing.T) {
	for name, change := range map[string]func(*world){
		"records of open shards are lost": func(*world) {}, "records of shards that vanished are lost": func(w *world) { w.db.Split() },
		"settings are lost": func(w *world) {
			testkit.Must(w, w.s.Projector().Table().Write(w.Context(), "lose the settings", table.Write{Key: table.Key("META#statistics"), Delete: true}))
		},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, double.Options{}, func(w *world) {
				w.h.write(30)
				first, stop := w.run()
				wait(w, first)
				w.h.check()
				stop()
				w.h.write(20)
				change(w)
				w.h.write(20)
				time.Sleep(25 * time.Hour)
				second, _ := w.run()
				w.run() // does not rebuild while the other one does
				w.h.write(10)
				w.awaitRebuilt()
				w.h.write(10)
				wait(w, second)
				w.awaitRebuilt() // the other one may have found the gap a moment later
				w.h.check()
			})
		})
	}
}

// A count below zero shows that something else was lost.
func TestImpossibleStatistics(t *testing.T) {
	inWorld(t, double.Options{Shards: 2}, func(w *world) {
		w.h.write(30)
		made := testkit.Value(w.s.Create(w.Context(), store.NewComment{ProductID: "damaged", Rating: 5, Language: "en"}))(w)
		consumer, _ := w.run()
		wait(w, consumer)
		name := w.s.Table()
		testkit.Value(w.client.DeleteItem(w.Context(), &dynamodb.DeleteItemInput{TableName: &name, Key: map[string]types.AttributeValue{
			key.PK: &types.AttributeValueMemberS{Value: key.Product("damaged")}, key.SK: &types.AttributeValueMemberS{Value: key.StatisticsSK("")},
		}}))(w)
		testkit.Value(w.s.Delete(w.Context(), made.ID, nil))(w)
		w.awaitRebuilt()
		wait(w, consumer)
		w.h.check()
		if st := consumer.Status(); !strings.Contains(st.LastError, "below zero") {
			w.Errorf("%+v", st)
		}
	})
}
