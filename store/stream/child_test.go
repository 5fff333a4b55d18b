package stream_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/internal/testkit"
	"product-comments/store/simulation/double"
	"product-comments/store/stream"
)

// firstShards lists no children.
type firstShards struct{ stream.API }

func (f firstShards) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	out, err := f.API.DescribeStream(ctx, in, o...)
	if err != nil {
		return nil, err
	}
	var shards []types.Shard
	for _, sh := range out.StreamDescription.Shards {
		if sh.ParentShardId == nil {
			shards = append(shards, sh)
		}
	}
	out.StreamDescription.Shards = shards
	return out, nil
}

// A shard was read to its end, and what its children got was dropped in a day in
// which were not projected. That they still have other records does not hide it,
// whether no process opened them or one did that found nothing to read.
func TestATrimmedChild(t *testing.T) {
	for name, opened := range map[string]bool{"a parent that no process opened": false, "a parent whose checkpoint has no sequence number": true} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, double.Options{}, func(w *world) {
				w.h.write(10)
				stop := run(w, w.consumer(firstShards{w.client}, quick(w)))
				w.db.Split()
				shards := w.shards()
				until(w, "the first shard is read to its end", func() bool {
					w.h.write(1)
					return w.look(shards[0].ShardId).Done
				})
				stop()
				if opened {
					for _, sh := range shards[1:] {
						testkit.Value(w.s.Projector().Open(w.Context(), *sh.ShardId, time.Now()))(w)
					}
				}
				w.h.write(5)
				time.Sleep(25 * time.Hour)
				second, _ := w.run()
				w.h.write(5)
				w.awaitRebuilt()
				wait(w, second)
				w.h.check()
			})
		})
	}
}
