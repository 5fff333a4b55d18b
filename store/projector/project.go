package projector

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/index"
	"product-comments/store/table"
)

// projectPatience bounds a projection, waits for other projectors included.
const projectPatience = time.Minute

// Project brings what is derived up to date with records of one open shard,
// which must be in order and follow what was projected; those before are passed
// over. All lanes project at once, and it returns when all have ended.
//
// The shard's Sequence is moved to the last record up to which all took effect,
// also when an error is returned: Unavailable if the store does not answer,
// Internal for a damaged record, ErrMoved if the shard must be opened again.
// After stats.ErrNegative the statistics are marked as broken.
func (p *Projector) Project(ctx context.Context, sh *Shard, records []index.Record) (done Projected, err error) {
	ctx, cancel := context.WithTimeout(table.Patiently(ctx), projectPatience)
	defer cancel()
	if sh.Done { // it was read to its end
		return Projected{Records: len(records)}, nil
	}
	work := make([][]Job, Lanes)
	var damage error // of the record at which this ends
	for i, r := range records {
		damage = p.Divide(r, sh.Buckets, func(bucket int, c index.Change) {
			work[bucket%Lanes] = append(work[bucket%Lanes], Job{c, sh, bucket})
		})
		if damage != nil {
			records = records[:i]
			break
		}
	}
	did := make([]Projected, Lanes)
	left := make([][]Job, Lanes)
	projecting, projectCtx := errgroup.WithContext(ctx)
	for lane, changes := range work {
		projecting.Go(func() error {
			for len(changes) > 0 {
				n, one, err := p.Step(projectCtx, changes)
				did[lane].Add(one)
				if changes = changes[n:]; err != nil {
					left[lane] = changes
					return err
				}
			}
			return nil
		})
	}
	err = projecting.Wait()
	for lane := range did {
		done.Add(did[lane])
	}
	done.Records = sh.advance(records, left)
	if err != nil {
		return done, err
	}
	return done, damage
}

// advance moves the shard's Sequence to the last record before those that are
// left, and returns how many records are behind it.
func (sh *Shard) advance(records []index.Record, left [][]Job) (n int) {
	first := "" // of those that are left
	for _, changes := range left {
		if len(changes) > 0 && (first == "" || CompareSequence(changes[0].Sequence, first) < 0) {
			first = changes[0].Sequence
		}
	}
	for _, r := range records {
		if first != "" && CompareSequence(r.Sequence, first) >= 0 {
			break
		}
		sh.Advance(r)
		n++
	}
	return n
}

// Advance notes that a record, and all before it, took effect in every bucket.
func (sh *Shard) Advance(to index.Record) {
	if CompareSequence(to.Sequence, sh.Sequence) > 0 {
		sh.Sequence = to.Sequence
	}
	if to.Created.After(sh.ReadAt) {
		sh.ReadAt = to.Created
	}
}
