package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/settings"
)

// lookPatience bounds a look for shards, which reads the checkpoint of each new shard.
const lookPatience = time.Minute

// lookers is the number of checkpoints that are read at once.
const lookers = 16

// discover looks for shards at the interval Discover, and when looking asks for it, until ctx ends.
func (c *Consumer) discover(ctx context.Context) {
	for pause := c.newPause(); ctx.Err() == nil; {
		if err := c.look(ctx); err != nil {
			c.failed(ctx, "look for shards", err)
			_ = pause.Wait(ctx)
			continue
		}
		pause.Reset()
		select {
		case <-ctx.Done():
		case <-c.looking:
		case <-time.After(c.o.Discover):
		}
	}
}

// look lists the shards of the stream, and starts readers of the shards that can be read now. The
// readers end with ctx.
func (c *Consumer) look(ctx context.Context) error {
	var number int
	c.change(func() { c.begun++; number = c.begun })
	within, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	arn, err := c.prepare(within)
	if err != nil {
		return err
	}
	shards, err := c.list(within, arn)
	if err != nil {
		return err
	}
	c.listed(arn, shards)
	if err := c.readCheckpoints(within); err != nil {
		return err
	}
	due, err := c.due(within)
	if err != nil {
		return err
	}
	for _, sh := range due {
		c.change(func() { sh.phase = reading })
		c.tasks.Go(func() { c.read(ctx, sh) })
	}
	c.change(func() { c.looked = number; c.wake() })
	return nil
}

// prepare returns the ARN of the stream, and stores it with the state of the settings. A stream
// that was disabled and enabled again has another ARN.
func (c *Consumer) prepare(ctx context.Context) (arn string, err error) {
	if arn, err = c.table.StreamARN(ctx); err != nil {
		return "", err
	}
	c.mu.Lock()
	same := arn == c.arn
	c.mu.Unlock()
	var now settings.Settings
	if same {
		now, err = c.settings.Read(ctx)
	} else {
		now, err = c.projector.Prepare(ctx, arn)
	}
	if err != nil {
		return "", err
	}
	c.change(func() { c.arn = arn })
	c.setState(now.State)
	return arn, nil
}

// list returns all shards of the stream.
func (c *Consumer) list(ctx context.Context, arn string) ([]types.Shard, error) {
	var all []types.Shard
	for from := (*string)(nil); ; {
		described, err := c.describe(ctx, arn, from)
		if err != nil {
			return nil, err
		}
		all = append(all, described.Shards...)
		if from = described.LastEvaluatedShardId; aws.ToString(from) == "" {
			return all, nil
		}
	}
}

func (c *Consumer) describe(ctx context.Context, arn string, from *string) (*types.StreamDescription, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := c.api.DescribeStream(ctx,
		&dynamodbstreams.DescribeStreamInput{StreamArn: &arn, ExclusiveStartShardId: from})
	if err != nil {
		return nil, fmt.Errorf("describe the stream: %w", err)
	}
	if out.StreamDescription == nil {
		return nil, errors.New("describe the stream: the answer is empty")
	}
	return out.StreamDescription, nil
}

// readCheckpoints reads the checkpoints of new shards. Most of them were read to their end long
// ago.
func (c *Consumer) readCheckpoints(ctx context.Context) error {
	looking, ctx := errgroup.WithContext(ctx)
	looking.SetLimit(lookers)
	for _, sh := range c.sorted(func(sh *shard) bool { return !sh.known }) {
		looking.Go(func() error {
			at, err := c.projector.Look(ctx, sh.id)
			if err != nil {
				return err
			}
			c.change(func() {
				sh.known, sh.fresh = true, at.Fresh()
				if at.Done {
					sh.phase = done
				}
			})
			return nil
		})
	}
	return looking.Wait()
}

// due returns the waiting shards after a parent that was read to its end. So the records of an item
// stay in order.
func (c *Consumer) due(ctx context.Context) (due []*shard, err error) {
	for _, sh := range c.sorted(func(sh *shard) bool { return sh.phase == waiting }) {
		read, err := c.parentIsRead(ctx, sh)
		if err != nil {
			return nil, err
		}
		if read {
			due = append(due, sh)
		}
	}
	return due, nil
}

// sorted returns the shards for which the function returns true, ordered by id. Ids begin with the
// creation time of the shard.
func (c *Consumer) sorted(which func(*shard) bool) []*shard {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []*shard
	for _, sh := range c.shards {
		if which(sh) {
			out = append(out, sh)
		}
	}
	slices.SortFunc(out, func(a, b *shard) int { return cmp.Compare(a.id, b.id) })
	return out
}
