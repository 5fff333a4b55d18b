package projector

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/index"
	"product-comments/store/table"
)

// projectPatience bounds a projection, including waits for other projectors.
const projectPatience = time.Minute

// Project updates derived data with records of one open shard, in order. They must follow the
// checkpoint; earlier records are skipped. The lanes project in parallel, and Project returns
// when all have ended.
//
// Even with an error, the shard's Sequence advances to the last record up to which all records took
// effect. Project returns an Internal error for a damaged record. After stats.ErrNegative the
// statistics are marked as broken.
func (p *Projector) Project(ctx context.Context, sh *Shard, records []index.Record) (done Projected, err error) {
	ctx, cancel := context.WithTimeout(table.Patiently(ctx), projectPatience)
	defer cancel()
	if sh.Done { // it was read to its end
		return Projected{Records: len(records)}, nil
	}
	work := make([][]Job, Lanes)
	var damage error // of the record at which this ends
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

// advance moves the shard's Sequence to the last record before the remaining ones, and returns
// how many records follow it.
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

// Advance notes that a record, and all before it, took effect in every bucket.
func (sh *Shard) Advance(to index.Record) {
	if CompareSequence(to.Sequence, sh.Sequence) > 0 {
		sh.Sequence = to.Sequence
	}
	if to.Created.After(sh.ReadAt) {
		sh.ReadAt = to.Created
	}
}
