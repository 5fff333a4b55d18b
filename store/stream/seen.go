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

// Seen returns the time up to which the checkpoints of any projector cover the table's stream,
// zero if there are none. began reports whether a projector has begun, which it records with
// its first record or after saveEvery. Seen costs a few read units. It returns an Unavailable
// error, or the error of the stream.
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
