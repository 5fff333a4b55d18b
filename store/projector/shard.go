package projector

import (
	"context"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Into how many buckets products are divided. The more, the fewer products each
// has, and the more comments of one product are summed in a transaction when the
// projector is behind.
const (
	DefaultBuckets = 64
	// MaxBuckets is bounded by the transaction that changes the number: it moves
	// all checkpoints of a shard.
	MaxBuckets = 64
)

// TrimAge is for how long a stream surely keeps records; DynamoDB says 24 hours.
const TrimAge = 23 * time.Hour

// doneCheckpoints are kept for longer than the stream keeps records, since
// child shards ask for them.
const doneCheckpoints = 7 * 24 * time.Hour

// Shard is how far a shard of the table's stream was projected: up to one
// sequence number by all buckets of products, and further by each.
type Shard struct {
	ID string
	// Sequence is the sequence number up to which every bucket has projected
	// everything; empty before the first.
	Sequence string
	// ReadAt is a time up to which everything that was written to the shard has
	// been read. Zero if that is not known.
	ReadAt time.Time
	// Done is true for a shard that was closed and read to its end.
	Done bool
	// Buckets is into how many buckets its records are divided; 0 if it was never opened.
	Buckets int

	epoch   int        // one more with every change of Buckets, so that no checkpoint is used twice
	stored  table.Item // as read or written
	offsets []offset   // by bucket
}

// offset is how far a bucket is with a shard. While the shard is projected it
// belongs to the goroutine of the bucket.
type offset struct {
	sequence string    // that of the shard if the bucket has none of its own yet
	readAt   time.Time // likewise
	saved    string    // sequence number in the bucket's own checkpoint
	exists   bool      // that checkpoint does
	moved    bool      // the buckets were changed: it is no longer to be used
}

// Attributes of checkpoints besides expires.
const (
	attrSequence = "seq"    // S, decimal
	attrDone     = "done"   // BOOL
	attrReadAt   = "readAt" // N, seconds since 1970
	attrBuckets  = "groups" // N
	attrEpoch    = "epoch"  // N
	attrMoved    = "moved"  // BOOL
	attrRevision = "rev"    // N
)

// Fresh reports whether the shard was never read.
func (sh *Shard) Fresh() bool { return sh.stored == nil }

// LeastSequence returns the sequence number after which records are missing in some
// bucket; empty for the shard's first record. Nothing of the shard may be under
// way.
func (sh *Shard) LeastSequence() string {
	if len(sh.offsets) == 0 {
		return sh.Sequence
	}
	from := sh.offsets[0].sequence
	for _, m := range sh.offsets[1:] {
		if CompareSequence(m.sequence, from) < 0 {
			from = m.sequence
		}
	}
	return from
}

// knownUntil returns a time up to which everything that was written to the shard
// was projected in all buckets; zero if none is known.
func (sh *Shard) knownUntil() time.Time {
	if len(sh.offsets) == 0 {
		return sh.ReadAt
	}
	until := sh.offsets[0].readAt
	for _, m := range sh.offsets[1:] {
		if m.readAt.Before(until) {
			until = m.readAt
		}
	}
	if sh.ReadAt.After(until) {
		return sh.ReadAt
	}
	return until
}

// Even reports whether no bucket is further than the shard. Others may have taken
// some further, which this process learns when it meets them. Nothing of the
// shard may be under way.
func (sh *Shard) Even() bool {
	for _, m := range sh.offsets {
		if CompareSequence(m.sequence, sh.Sequence) > 0 {
			return false
		}
	}
	return true
}

// Moved reports whether the buckets of the shard have changed, which ErrMoved said
// to the caller of Step for the bucket.
func (sh *Shard) Moved(bucket int) bool { return sh.offsets[bucket].moved }

// begin returns a bucket's offset when nothing is known of it but the shard.
func (sh *Shard) begin() offset { return offset{sequence: sh.Sequence, readAt: sh.ReadAt} }

// Look reads how far a shard is by its own checkpoint alone, strongly
// consistent: enough to know whether it is done. It returns an Unavailable error
// if the store does not answer.
func (p *Projector) Look(ctx context.Context, id string) (*Shard, error) {
	it, err := p.t.Get(ctx, "a checkpoint", table.Key(key.Checkpoint(id)))
	if err != nil {
		return nil, err
	}
	sh := &Shard{ID: id, stored: it, Sequence: table.Text(it, attrSequence), Done: table.IsTrue(it, attrDone)}
	var readAt int
	if err := table.Numbers(it, map[string]*int{attrBuckets: &sh.Buckets, attrEpoch: &sh.epoch,
		attrReadAt: &readAt}); err != nil {
		return nil, err
	}
	if readAt > 0 {
		sh.ReadAt = time.Unix(int64(readAt), 0)
	}
	return sh, nil
}

// Open reads how far all buckets are with a shard, and begins it if no process has:
// then until is a time before which nothing can have been written to it, zero
// if none is known. It returns an Unavailable error if the store does not answer.
func (p *Projector) Open(ctx context.Context, id string, until time.Time) (*Shard, error) {
	var sh *Shard
	err := p.t.Race(ctx, "open a shard", func() (err error) { // lost to ourselves if we began it and did not hear of that
		if sh, err = p.Look(ctx, id); err != nil || sh.Done {
			return err
		}
		if sh.epoch > 0 {
			return p.readOffsets(ctx, sh)
		}
		now, err := p.settings.Recent(ctx)
		if err != nil {
			return err
		}
		if until.After(sh.ReadAt) {
			sh.ReadAt = until
		}
		return p.writeCheckpoint(ctx, sh, BucketsOf(now))
	})
	return sh, err
}

// BucketsOf returns into how many buckets products are to be divided.
func BucketsOf(s settings.Settings) int {
	if s.Buckets == 0 {
		return DefaultBuckets
	}
	return min(max(s.Buckets, 1), MaxBuckets)
}

func (p *Projector) readOffsets(ctx context.Context, sh *Shard) error {
	sh.offsets = make([]offset, sh.Buckets)
	for i := range sh.offsets {
		sh.offsets[i] = sh.begin()
	}
	keys := make([]table.Item, sh.Buckets)
	buckets := make(map[string]int, sh.Buckets)
	for i := range keys {
		pk := key.BucketCheckpoint(sh.ID, sh.epoch, i)
		keys[i], buckets[pk] = table.Key(pk), i
	}
	return p.t.GetMany(ctx, keys, true, func(it table.Item) (err error) {
		i := buckets[table.Text(it, key.PK)]
		sh.offsets[i], err = sh.offsets[i].read(it)
		return err
	})
}

// read returns the offset after its checkpoint was read; nil is none.
func (m offset) read(it table.Item) (offset, error) {
	m.exists, m.saved, m.moved = it != nil, table.Text(it, attrSequence), table.IsTrue(it, attrMoved)
	if CompareSequence(m.saved, m.sequence) > 0 {
		m.sequence = m.saved
	}
	seconds, err := table.Number(it, attrReadAt)
	if at := time.Unix(int64(seconds), 0); seconds > 0 && at.After(m.readAt) {
		m.readAt = at
	}
	return m, err
}

// write returns the change of a bucket's checkpoint to another place, on the
// condition that it has not moved.
func (m offset) write(sh *Shard, bucket int, to offset, now time.Time) table.Write {
	it := table.Key(key.BucketCheckpoint(sh.ID, sh.epoch, bucket))
	it[attrSequence] = table.S(to.sequence)
	it[item.AttrExpires] = table.N(int(now.Add(doneCheckpoints).Unix()))
	if !to.readAt.IsZero() {
		it[attrReadAt] = table.N(int(to.readAt.Unix()))
	}
	if to.moved {
		it[attrMoved] = table.Bool(true)
	}
	return m.unmoved(table.Write{Put: it})
}

// check returns the condition that a bucket's checkpoint has not moved.
func (m offset) check(sh *Shard, bucket int) table.Write {
	return m.unmoved(table.Write{Key: table.Key(key.BucketCheckpoint(sh.ID, sh.epoch, bucket))})
}

func (m offset) unmoved(w table.Write) table.Write {
	if !m.exists {
		w.If = table.Absent
		return w
	}
	return w.Unchanged(table.Item{attrSequence: table.S(m.saved)}, attrSequence, attrMoved)
}

// writeCheckpoint writes the shard's own checkpoint as it stands, with a new number of
// buckets unless that is 0, on the condition that it was not written since it
// was read.
func (p *Projector) writeCheckpoint(ctx context.Context, sh *Shard, buckets int) error {
	to, write := p.checkpoint(sh, buckets)
	err := p.t.Write(ctx, "write a checkpoint", write)
	if err == nil {
		sh.become(to)
	}
	return err
}

// become notes what was written. The offsets of buckets that stay are their own.
func (sh *Shard) become(to Shard) {
	sh.stored = to.stored
	if sh.epoch != to.epoch {
		sh.epoch, sh.Buckets, sh.offsets = to.epoch, to.Buckets, to.offsets
	}
}

// checkpoint returns the shard after such a change, and the change.
func (p *Projector) checkpoint(sh *Shard, buckets int) (Shard, table.Write) {
	to := *sh
	if buckets > 0 {
		to.epoch++
		to.Buckets, to.offsets = buckets, make([]offset, buckets)
		for i := range to.offsets {
			to.offsets[i] = to.begin()
		}
	}
	it := table.Key(key.Checkpoint(sh.ID))
	it[attrSequence] = table.S(to.Sequence)
	it[attrBuckets], it[attrEpoch] = table.N(to.Buckets), table.N(to.epoch)
	if !to.ReadAt.IsZero() {
		it[attrReadAt] = table.N(int(to.ReadAt.Unix()))
	}
	if to.Done {
		it[attrDone] = table.Bool(true)
		it[item.AttrExpires] = table.N(int(p.t.Now().Add(doneCheckpoints).Unix()))
	}
	revision, _ := table.Number(sh.stored, attrRevision) // 0 for none
	it[attrRevision] = table.N(p.t.Random().NextRevision(revision))
	to.stored = it
	w := table.Write{Put: it}
	if sh.stored == nil {
		w.If = table.Absent
		return to, w
	}
	return to, w.Unchanged(sh.stored, attrRevision, attrSequence, attrDone)
}

// Save stores how far all buckets are, and that the shard is done if it is. ok is
// false if another process has stored it concurrently, after which the shard must be
// opened again. It returns an Unavailable error if the store does not answer.
func (p *Projector) Save(ctx context.Context, sh *Shard) (ok bool, err error) {
	err = p.writeCheckpoint(ctx, sh, 0)
	_, other := table.IsRefused(err)
	if other {
		return false, nil
	}
	return err == nil, err
}

// SavedAs notes that a copy of the shard was stored.
func (sh *Shard) SavedAs(o *Shard) { sh.stored = o.stored }

// SetBuckets divides the records of a shard into another number of buckets from now on.
// Every bucket must have projected everything up to the shard's Sequence, and
// nothing beyond it may be under way in this process; that another process has
// gone on makes ok false, after which the shard must be opened again. It returns
// an Unavailable error if the store does not answer.
func (p *Projector) SetBuckets(ctx context.Context, sh *Shard, buckets int) (ok bool, err error) {
	if !sh.Even() { // what some buckets have counted beyond it would count again
		return false, nil
	}
	to, put := p.checkpoint(sh, min(max(buckets, 1), MaxBuckets))
	writes := []table.Write{put}
	for i, m := range sh.offsets {
		end := m
		end.moved = true
		writes = append(writes, m.write(sh, i, end, p.t.Now()))
	}
	err = p.t.Transact(ctx, "change the buckets of a shard", writes...)
	if _, other := table.IsRefused(err); other {
		return false, nil
	}
	if err == nil {
		sh.become(to)
	}
	return err == nil, err
}
