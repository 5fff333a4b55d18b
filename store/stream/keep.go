package stream

import (
	"context"
	"errors"
	"time"

	"product-comments/store"
)

const (
	// keepEvery is how often a checkpoint is stored that moved without a
	// transaction. Not with every record: storing it makes one more.
	keepEvery = time.Hour
	// quietFor is for how long a shard must have answered without records
	// until it is taken as read. DynamoDB may give a few such answers although
	// more follows.
	quietFor = time.Minute
	// leaveWithin bounds storing the checkpoint when the consumer ends.
	leaveWithin = 2 * time.Second
)

// keeper knows how far a stored checkpoint is behind the one in memory.
type keeper struct {
	at       time.Time // when it was stored last
	sequence string    // in it
	readAt   time.Time // in it
	quiet    time.Time // since when there were no records; zero if the last answer had some
}

// stored notes that the checkpoint is in the table as it is.
func (k *keeper) stored(c *store.Checkpoint, at time.Time) {
	k.at, k.sequence, k.readAt = at, c.Sequence, c.ReadAt
}

// read notes that all records up to one that was made at a time were read.
// Those that follow were made later, and so are dropped later.
func (k *keeper) read(c *store.Checkpoint, made time.Time) {
	k.quiet = time.Time{}
	if made.After(c.ReadAt) {
		c.ReadAt = made
	}
}

// empty notes an answer without records.
func (k *keeper) empty(c *store.Checkpoint, now time.Time) {
	if k.quiet.IsZero() {
		k.quiet = now
	}
	if now.Sub(k.quiet) >= quietFor {
		c.ReadAt = now
	}
}

// due tells whether it is time to store the checkpoint.
func (k *keeper) due(c *store.Checkpoint, now time.Time) bool {
	return c.ReadAt.After(k.readAt) && now.Sub(k.at) > keepEvery
}

// save stores the checkpoint. If another projector's took its place at another
// record, the error is errAgain: reading is to go on from there.
func (r *reader) save(ctx context.Context) error {
	before := r.at.Sequence
	if err := r.store.SaveCheckpoint(ctx, r.at); err != nil {
		return err
	}
	r.keep.stored(r.at, r.o.Now())
	if r.at.Sequence != before {
		return errAgain
	}
	return nil
}

// finish notes that the shard was read to its end.
func (r *reader) finish(ctx context.Context) error {
	r.at.Done, r.at.ReadAt = true, r.o.Now()
	err := r.save(ctx)
	switch {
	case err == nil && !r.at.Done: // another projector moved it to the same record just now
		return errAgain
	case err != nil && !errors.Is(err, errAgain): // it is not stored
		r.at.Done = false
	}
	return err
}

// leave stores the checkpoint of a shard that is still open, so that the next
// consumer need not go through records again that had nothing to project.
func (r *reader) leave(ctx context.Context) {
	if r.at == nil || r.at.Sequence == r.keep.sequence {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	if err := r.save(ctx); err != nil && !errors.Is(err, errAgain) {
		r.o.Log.Warn("the checkpoint of a shard could not be stored", "shard", r.sh.id, "error", err)
	}
}
