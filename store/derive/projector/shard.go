package projector

import (
	"context"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Buckets is the number of buckets. With more buckets, each has fewer products, and a transaction
// sums more comments of one product when the projector is behind. Checkpoints are valid for this
// number only.
const Buckets = 64

// TrimAge is how long a stream keeps records, with an hour of margin: DynamoDB documents 24 hours.
const TrimAge = 23 * time.Hour

// doneCheckpoints is the life of a finished checkpoint. It exceeds the retention of the stream,
// since child shards read it.
const doneCheckpoints = 7 * 24 * time.Hour

// Shard has the offsets of a shard of the table's stream: a sequence number that all buckets have
// projected, and the further offset of each bucket.
type Shard struct {
	ID string
	// Sequence is the sequence number of the last record that every bucket has projected; empty
	// before the first record.
	Sequence string
	// ReadAt is a time such that all earlier records of the shard were read; zero if it is not
	// known.
	ReadAt time.Time
	// Done is true for a shard that was closed and read to its end.
	Done bool

	stored  table.Item // as last read or written
	offsets []offset   // by bucket; nil if it was not opened
}

// offset is the offset of a bucket in a shard. While the shard is projected, only the goroutine of
// the bucket uses it.
type offset struct {
	sequence string    // of the last projected record; the shard's if the bucket has no checkpoint
	readAt   time.Time // creation time of that record; the shard's if the bucket has no checkpoint
	saved    string    // sequence number in the bucket's checkpoint
	exists   bool      // the bucket has a checkpoint
}

// Attributes of checkpoints. They also have item.AttrExpires.
const (
	attrSequence = "seq"    // S, decimal
	attrDone     = "done"   // BOOL
	attrReadAt   = "readAt" // N, seconds since 1970
	attrRevision = "rev"    // N
)

// Fresh reports whether no process has begun to read the shard.
func (sh *Shard) Fresh() bool { return sh.stored == nil }

// LeastSequence returns the smallest offset of all buckets: reading continues after it. It is empty
// if reading begins with the shard's first record. No change of the shard may be under way.
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

// knownUntil returns a time such that all buckets have projected all earlier records of the shard;
// zero if none is known.
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

// begin sets the offset of every bucket from the shard's own checkpoint.
func (sh *Shard) begin() {
	sh.offsets = slices.Repeat([]offset{{sequence: sh.Sequence, readAt: sh.ReadAt}}, Buckets)
}

// Look reads a shard's own checkpoint, strongly consistent, without the checkpoints of buckets.
func (p *Projector) Look(ctx context.Context, id string) (*Shard, error) {
	it, err := p.t.Get(ctx, "a checkpoint", table.Key(key.Checkpoint(id)))
	if err != nil {
		return nil, err
	}
	sh := &Shard{ID: id, stored: it, Sequence: table.Text(it, attrSequence), Done: table.IsTrue(it, attrDone)}
	readAt, err := table.Number(it, attrReadAt)
	if err != nil {
		return nil, err
	}
	if readAt > 0 {
		sh.ReadAt = time.Unix(int64(readAt), 0)
	}
	return sh, nil
}

// Open reads all offsets of a shard. If no process has begun the shard, Open begins it; then until
// is a time before which no record can have been written to it, zero if none is known.
func (p *Projector) Open(ctx context.Context, id string, until time.Time) (*Shard, error) {
	var sh *Shard
	err := p.t.Race(ctx, "open a shard", func() (err error) { // it also loses against its own write if the answer was lost
		if sh, err = p.Look(ctx, id); err != nil || sh.Done {
			return err
		}
		if !sh.Fresh() {
			return p.readOffsets(ctx, sh)
		}
		sh.ReadAt = until
		sh.begin()
		return p.writeCheckpoint(ctx, sh)
	})
	return sh, err
}

func (p *Projector) readOffsets(ctx context.Context, sh *Shard) error {
	sh.begin()
	keys := make([]table.Item, Buckets)
	buckets := make(map[string]int, Buckets)
	for i := range keys {
		pk := key.BucketCheckpoint(sh.ID, i)
		keys[i], buckets[pk] = table.Key(pk), i
	}
	return p.t.GetMany(ctx, keys, true, func(it table.Item) (err error) {
		i := buckets[table.Text(it, key.PK)]
		sh.offsets[i], err = sh.offsets[i].read(it)
		return err
	})
}

// read returns the offset with the content of its checkpoint, nil if there is none.
func (m offset) read(it table.Item) (offset, error) {
	m.exists, m.saved = it != nil, table.Text(it, attrSequence)
	if CompareSequence(m.saved, m.sequence) > 0 {
		m.sequence = m.saved
	}
	seconds, err := table.Number(it, attrReadAt)
	if at := time.Unix(int64(seconds), 0); seconds > 0 && at.After(m.readAt) {
		m.readAt = at
	}
	return m, err
}

// write returns the write that moves a bucket's checkpoint to another offset, on the condition that
// it has not changed.
func (m offset) write(sh *Shard, bucket int, to offset, now time.Time) table.Write {
	it := table.Key(key.BucketCheckpoint(sh.ID, bucket))
	it[attrSequence] = table.S(to.sequence)
	it[item.AttrExpires] = table.N(int(now.Add(doneCheckpoints).Unix()))
	if !to.readAt.IsZero() {
		it[attrReadAt] = table.N(int(to.readAt.Unix()))
	}
	return m.unchanged(table.Write{Put: it})
}

// check returns the condition that a bucket's checkpoint has not changed.
func (m offset) check(sh *Shard, bucket int) table.Write {
	return m.unchanged(table.Write{Key: table.Key(key.BucketCheckpoint(sh.ID, bucket))})
}

func (m offset) unchanged(w table.Write) table.Write {
	if !m.exists {
		w.If = table.Absent
		return w
	}
	return w.Unchanged(table.Item{attrSequence: table.S(m.saved)}, attrSequence)
}

// writeCheckpoint writes the shard's own checkpoint, on the condition that it has not changed since
// it was read.
func (p *Projector) writeCheckpoint(ctx context.Context, sh *Shard) error {
	it := table.Key(key.Checkpoint(sh.ID))
	it[attrSequence] = table.S(sh.Sequence)
	if !sh.ReadAt.IsZero() {
		it[attrReadAt] = table.N(int(sh.ReadAt.Unix()))
	}
	if sh.Done {
		it[attrDone] = table.Bool(true)
		it[item.AttrExpires] = table.N(int(p.t.Now().Add(doneCheckpoints).Unix()))
	}
	revision, _ := table.Number(sh.stored, attrRevision) // 0 for none
	it[attrRevision] = table.N(p.t.Random().NextRevision(revision))
	write := table.Write{Put: it}
	if sh.Fresh() {
		write.If = table.Absent
	} else {
		write = write.Unchanged(sh.stored, attrRevision, attrSequence, attrDone)
	}
	err := p.t.Write(ctx, "write a checkpoint", write)
	if err == nil {
		sh.stored = it
	}
	return err
}

// Save stores the shard's own checkpoint, with Sequence, ReadAt and Done. ok is false if another
// process has stored it concurrently; then the shard must be opened again.
func (p *Projector) Save(ctx context.Context, sh *Shard) (ok bool, err error) {
	err = p.writeCheckpoint(ctx, sh)
	_, other := table.IsRefused(err)
	if other {
		return false, nil
	}
	return err == nil, err
}

// SavedAs records that o, a copy of the shard, was saved.
func (sh *Shard) SavedAs(o *Shard) { sh.stored = o.stored }
