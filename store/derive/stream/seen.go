package stream

import (
	"context"
	"time"

	"product-comments/store/derive/projector"
)

// seenWithin bounds Seen.
const seenWithin = 5 * time.Second

// newestShards is the number of shards that Seen looks at, the newest ones.
const newestShards = 4

// StoredEvery is the longest time between two saved checkpoints of a running projector, with or
// without changes: saveEvery twice, and a margin.
const StoredEvery = 2*saveEvery + time.Minute

// Seen returns the latest ReadAt of the newest shards, from checkpoints of any projector: the
// stream was read up to this time. It is zero if there are none. began reports whether a projector
// has begun. A projector saves its first checkpoint when it opens a shard. Seen costs a few read
// units.
func Seen(ctx context.Context, api API, p *projector.Projector) (at time.Time, began bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	c := New(api, p, Options{})
	arn, err := c.table.StreamARN(ctx)
	if err != nil {
		return at, false, err
	}
	shards, err := c.list(ctx, arn)
	if err != nil {
		return at, false, err
	}
	c.listed(arn, shards)
	known := c.sorted(func(*shard) bool { return true })
	for _, sh := range known[max(0, len(known)-newestShards):] {
		looked, err := p.Look(ctx, sh.id)
		if err != nil {
			return at, began, err
		}
		began = began || !looked.Fresh()
		if looked.ReadAt.After(at) {
			at = looked.ReadAt
		}
	}
	return at, began, nil
}
