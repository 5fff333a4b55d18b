package stream

import (
	"context"
	"errors"
	"time"

	"product-comments/store/derive/projector"
)

const (
	// saveEvery is the time between two saves of a shard's own checkpoint. Each bucket saves its
	// offset with every transaction, and a save adds a record to the stream.
	saveEvery = 10 * time.Minute
	// quietFor is how long the answers of a shard must be empty before the shard counts as read up
	// to now. DynamoDB may give a few empty answers although records follow.
	quietFor = time.Minute
	// leaveWithin bounds storing the checkpoint when the consumer ends.
	leaveWithin = 2 * time.Second
)

// saving tracks the difference between the stored checkpoint of a shard and the one in memory.
type saving struct {
	at       time.Time // time of the last save
	sequence string    // in it
	readAt   time.Time // in it
	quiet    time.Time // time of the first of the last empty answers; zero if the last answer had records
}

// stored records that the table has the checkpoint.
func (v *saving) stored(at *projector.Shard, now time.Time) {
	v.at, v.sequence, v.readAt = now, at.Sequence, at.ReadAt
}

// empty records an empty answer while nothing is under way.
func (v *saving) empty(at *projector.Shard, now time.Time) {
	if v.quiet.IsZero() || now.Before(v.quiet) {
		v.quiet = now
	}
	if now.Sub(v.quiet) >= quietFor && now.After(at.ReadAt) {
		at.ReadAt = now
	}
}

// due reports whether it is time to save the checkpoint.
func (v *saving) due(s *session, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at.ReadAt.After(v.readAt) && now.Sub(v.at) > saveEvery
}

// save stores the shard's checkpoint. It returns errAgain if another projector has stored it
// concurrently: the shard must be opened again.
func (r *reader) save(ctx context.Context) error {
	r.s.mu.Lock()
	now := *r.s.at // a copy, since lanes continue
	r.s.mu.Unlock()
	ok, err := r.projector.Save(ctx, &now)
	if err != nil {
		return err
	}
	if !ok {
		r.s.close()
		return errAgain
	}
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.s.at.SavedAs(&now)
	r.saving.stored(&now, r.now())
	return nil
}

// finish waits until all records of the shard took effect, and saves that it is done. ReadAt stays:
// records of its children may be as old as its last record.
func (r *reader) finish(ctx context.Context) error {
	if err := r.s.wait(ctx, 0); err != nil || r.s.closed.Load() {
		return errors.Join(err, errAgain)
	}
	r.s.at.Done = true
	err := r.save(ctx)
	if err != nil {
		r.s.at.Done = false
	}
	return err
}

// leave saves the checkpoint of an open shard, so that the next consumer does not read records
// without changes again.
func (r *reader) leave(ctx context.Context) {
	if r.s == nil || r.s.closed.Load() {
		return
	}
	r.s.mu.Lock()
	same := r.s.at.Sequence == r.saving.sequence
	r.s.mu.Unlock()
	if same {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
	defer cancel()
	if err := r.save(ctx); err != nil && !errors.Is(err, errAgain) {
		r.o.Log.Warn("the checkpoint of a shard could not be stored", "shard", r.sh.id, "error", err)
	}
}
