package stream_test

import (
	"context"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"product-comments/store/storetest"
	"product-comments/store/stream"
)

// firstShards lists no children.
type firstShards struct{ *storetest.Reshard }

func (f firstShards) DescribeStream(ctx context.Context, in *dynamodbstreams.DescribeStreamInput, o ...func(*dynamodbstreams.Options)) (*dynamodbstreams.DescribeStreamOutput, error) {
	out, err := f.Reshard.DescribeStream(ctx, in, o...)
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
// which nobody projected. That they still have other records does not hide it,
// whether nobody opened them or somebody did who found nothing to read.
func TestATrimmedChild(t *testing.T) {
	t.Parallel()
	for name, opened := range map[string]bool{"that nobody opened": false, "whose checkpoint has no sequence number": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newLossCase(t, storetest.ReshardOptions{Shards: 1, Close: 40})
			c.h.write(10)
			first := stream.New(firstShards{c.dealt}, c.s.Projector(), quick(t))
			stop := run(t, first)
			var parent storetest.Dealt
			until(t, "the first shard is read to its end", func() bool {
				c.h.write(1)
				parent = c.dealt.Dealt()[0]
				at, err := c.s.Projector().Look(t.Context(), parent.ID)
				if err != nil {
					t.Fatal(err)
				}
				return at.Done
			})
			stop()
			if opened {
				for _, sh := range c.dealt.Dealt()[1:] {
					if _, err := c.s.Projector().Open(t.Context(), sh.ID, time.Now()); err != nil {
						t.Fatal(err)
					}
				}
			}
			c.h.write(5)
			c.trim()
			c.clock.ahead.Store(int64(25 * time.Hour))
			second, _ := c.run()
			c.h.write(5)
			c.awaitRebuilt()
			wait(t, second)
			c.h.check()
		})
	}
}
