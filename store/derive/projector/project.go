package projector

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/derive/index"
	"product-comments/store/table"
)

// projectPatience bounds a projection, including waits for other projectors.
const projectPatience = time.Minute

// Project updates the indexes with consecutive records of one open shard, and skips records before
// its checkpoint. The lanes project in parallel; Project returns when all have ended.
//
// The shard's Sequence advances past the leading records that took effect, also after an error.
// Project returns an Internal error for a damaged record. After stats.ErrNegative the statistics
// are marked as broken.
func (p *Projector) Project(ctx context.Context, sh *Shard, records []index.Record) (done Projected, err error) {
	ctx, cancel := context.WithTimeout(table.Patiently(ctx), projectPatience)
	defer cancel()
	if sh.Done { // it was read to its end
		return Projected{Records: len(records)}, nil
	}
	work := make([][]Job, Lanes)
	var damage error // error of the first damaged record
	for i, r := range records {
		damage = p.Divide(r, func(bucket int, c index.Change) {
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

// advance moves the shard's Sequence to the last record before the remaining changes, and returns
// the number of records that it passes.
func (sh *Shard) advance(records []index.Record, left [][]Job) (n int) {
	first := "" // first remaining record
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

// Advance moves the shard's Sequence and ReadAt to a record. The record and all before it must have
// taken effect in every bucket.
func (sh *Shard) Advance(to index.Record) {
	if CompareSequence(to.Sequence, sh.Sequence) > 0 {
		sh.Sequence = to.Sequence
	}
	if to.Created.After(sh.ReadAt) {
		sh.ReadAt = to.Created
	}
}
