package stream_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/simulation/double"
	"product-comments/store/stream"
)

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

// What was read not long ago may be dropped.
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

// Records that were dropped before they were read are counted by a rebuild.
func TestLostRecords(t *testing.T) {
	for name, change := range map[string]func(*double.DB){"records of open shards are lost": func(*double.DB) {}, "records of shards that vanished are lost": (*double.DB).Split} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, double.Options{}, func(w *world) {
				w.h.write(30)
				first, stop := w.run()
				wait(w, first)
				w.h.check()
				stop()
				w.h.write(20)
				change(w.db)
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
