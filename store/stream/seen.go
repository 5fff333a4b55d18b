package stream

import (
	"context"
	"time"

	"product-comments/store/projector"
)

// seenWithin bounds Seen.
const seenWithin = 5 * time.Second

// newestShards is how many shards Seen looks at, from the newest.
const newestShards = 4

// StoredEvery is the longest time in which a projector that runs stores how far it
// is, whether or not there was something to project: it begins again after saveEvery,
// and may then take a while.
const StoredEvery = 2*saveEvery + time.Minute

// Seen returns up to when a projector, wherever it runs, has said that it read a
// table's stream: zero if none ever did. began tells that one has begun, which it
// tells with its first record, or after saveEvery. It costs a few read units. The
// error is Unavailable, or one of the stream's.
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
