package stream

import (
	"context"
	"errors"
	"time"

	"product-comments/store/projector"
)

const (
	// saveEvery is how often it is stored how far all buckets are. Not with every
	// record: each bucket stores its own offset, and storing makes one more record.
	saveEvery = 10 * time.Minute
	// quietFor is for how long a shard must have answered without records
	// until it is taken as read. DynamoDB may give a few such answers although
	// more follows.
	quietFor = time.Minute
	// leaveWithin bounds storing the checkpoint when the consumer ends.
	leaveWithin = 2 * time.Second
)

// saving knows how far a stored checkpoint is behind the one in memory.
type saving struct {
	at       time.Time // when it was stored last
	sequence string    // in it
	readAt   time.Time // in it
	quiet    time.Time // since when there were no records; zero if the last answer had some
}

// stored notes that the checkpoint is in the table as it is.
func (v *saving) stored(at *projector.Shard, now time.Time) {
	v.at, v.sequence, v.readAt = now, at.Sequence, at.ReadAt
}

// empty notes that there were no records, and nothing is under way.
func (v *saving) empty(at *projector.Shard, now time.Time) {
	if v.quiet.IsZero() || now.Before(v.quiet) {
		v.quiet = now
	}
	if now.Sub(v.quiet) >= quietFor && now.After(at.ReadAt) {
		at.ReadAt = now
	}
}

// due reports whether it is time to store the checkpoint.
func (v *saving) due(s *session, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at.ReadAt.After(v.readAt) && now.Sub(v.at) > saveEvery
}

// save stores how far all buckets are. If another projector did so concurrently, the
// error is errAgain: the shard is to be opened again.
func (r *reader) save(ctx context.Context) error {
	r.s.mu.Lock()
	now := *r.s.at // lanes go on in the meantime
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

// finish notes that the shard was read to its end, when all of it took effect.
// What is written to its children may be as old as its last record.
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

// leave stores the checkpoint of a shard that is still open, so that the next
// consumer need not go through records again that had nothing to project.
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
