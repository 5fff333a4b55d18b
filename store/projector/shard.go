package projector

import (
	"context"
	"slices"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Buckets is into how many buckets products are divided. The more, the fewer products
// each has, and the more comments of one product are summed in a transaction when the
// projector is behind. Checkpoints hold only for this number.
const Buckets = 64

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

	stored  table.Item // as read or written
	offsets []offset   // by bucket; nil if it was not opened
}

// offset is how far a bucket is with a shard. While the shard is projected it
// belongs to the goroutine of the bucket.
type offset struct {
	sequence string    // that of the shard if the bucket has none of its own yet
	readAt   time.Time // likewise
	saved    string    // sequence number in the bucket's own checkpoint
	exists   bool      // that checkpoint does
}

// Attributes of checkpoints besides expires.
const (
	attrSequence = "seq"    // S, decimal
	attrDone     = "done"   // BOOL
	attrReadAt   = "readAt" // N, seconds since 1970
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

// begin sets the offset of every bucket to what is known if only the shard's own
// checkpoint is.
func (sh *Shard) begin() {
	sh.offsets = slices.Repeat([]offset{{sequence: sh.Sequence, readAt: sh.ReadAt}}, Buckets)
}

// Look reads how far a shard is by its own checkpoint alone, strongly
// consistent: enough to know whether it is done. It returns an Unavailable error
// if the store does not answer.
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

// Open reads how far all buckets are with a shard, and begins it if no process has:
// then until is a time before which nothing can have been written to it, zero
// if none is known. It returns an Unavailable error if the store does not answer.
func (p *Projector) Open(ctx context.Context, id string, until time.Time) (*Shard, error) {
	var sh *Shard
	err := p.t.Race(ctx, "open a shard", func() (err error) { // lost to ourselves if we began it and did not hear of that
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

// read returns the offset after its checkpoint was read; nil is none.
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

// write returns the change of a bucket's checkpoint to another place, on the
// condition that it has not changed.
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

// writeCheckpoint writes the shard's own checkpoint as it is in memory, on the condition
// that it was not written since it was read.
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

// Save stores how far all buckets are, and that the shard is done if it is. ok is
// false if another process has stored it concurrently, after which the shard must be
// opened again. It returns an Unavailable error if the store does not answer.
func (p *Projector) Save(ctx context.Context, sh *Shard) (ok bool, err error) {
	err = p.writeCheckpoint(ctx, sh)
	_, other := table.IsRefused(err)
	if other {
		return false, nil
	}
	return err == nil, err
}

// SavedAs notes that a copy of the shard was stored.
func (sh *Shard) SavedAs(o *Shard) { sh.stored = o.stored }
