package projector

import (
	"context"
	"errors"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/stats"
	"product-comments/store/derive/index"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Job is a change for one bucket, with its shard.
type Job struct {
	index.Change
	Shard  *Shard
	Bucket int
}

// offset returns the offset of the bucket in the shard.
func (d *Job) offset() *offset { return &d.Shard.offsets[d.Bucket] }

// Lanes is the number of steps that run in parallel: bucket b belongs to lane b modulo Lanes. More
// lanes would mean more and smaller transactions, since the changes that arrive during a step are
// summed in the next one.
const Lanes = 8

// errRace says that another process has changed items of a transaction.
var errRace = errors.New("another process was faster")

// Step projects the leading changes of one lane, at least the first, in one transaction. The
// changes of a bucket and shard must be in order and follow its checkpoint; changes at or before it
// are skipped. It returns the number of leading changes that took effect, also with an error. It
// retries conflicts. After stats.ErrNegative the statistics are marked as broken.
//
// Calls of Step for one lane must not overlap in a process.
func (p *Projector) Step(ctx context.Context, changes []Job) (n int, did Projected, err error) {
	for pause := p.t.NewPause(); ; {
		for n < len(changes) && changes[n].passed() {
			n++
		}
		if n == len(changes) {
			return n, did, nil
		}
		taken, err := p.transaction(ctx, changes[n:])
		switch {
		case err == nil:
			did.Transactions++
			return n + taken, did, nil
		case errors.Is(err, index.ErrOutdated): // the next try reads the settings again
		case errors.Is(err, errRace):
			did.Retries++
		default:
			return n, did, err
		}
		if err := pause.Wait(ctx); err != nil {
			return n, did, table.Failed("project the changes", err)
		}
	}
}

// passed reports whether the checkpoint is at the change or after it.
func (d *Job) passed() bool { return CompareSequence(d.Sequence, d.offset().sequence) <= 0 }

// transaction projects as many of the changes as fit into one transaction.
func (p *Projector) transaction(ctx context.Context, changes []Job) (taken int, err error) {
	guess, err := p.settings.Recent(ctx)
	if err != nil {
		return 0, err
	}
	for most := len(changes); ; most = max(1, taken/2) {
		var parts []*index.Effect
		var ends map[*offset]end
		if parts, ends, taken, err = p.fit(ctx, guess, changes[:most]); err != nil {
			return 0, err
		}
		now, writes, ahead, err := p.flush(ctx, guess, parts)
		if err != nil {
			return 0, p.settle(ctx, ends, err)
		}
		if !now.Agrees(guess) {
			return 0, index.ErrOutdated
		}
		if wait := p.settleWait(now); wait > 0 {
			return 0, errors.Join(index.ErrOutdated, table.Sleep(ctx, wait))
		}
		// before the transaction, so that a crash in between loses no touch
		if err := p.touchStale(ctx, now.Generation, changes[:taken]); err != nil {
			return 0, err
		}
		for from, e := range ends {
			writes = append(writes, from.write(e.shard, e.bucket, e.to, p.t.Now()))
		}
		// the changes need more writes than estimated, or larger ones, which is rare
		if (len(writes)+len(slices.Concat(ahead...)) > MaxItems || table.PutBytes(writes) > table.MaxBytes) && taken > 1 {
			continue
		}
		if err := p.writeAll(ctx, ends, writes, ahead); err != nil {
			return 0, p.settle(ctx, ends, err)
		}
		for from, e := range ends {
			*from = e.to
		}
		index.Flushed(parts)
		return taken, nil
	}
}

// end is the offset of a checkpoint after a transaction.
type end struct {
	shard  *Shard
	bucket int
	to     offset
}

// fit returns the effects of the leading changes that fit into a transaction, by product; the first
// change always fits. A checkpoint moves with every record of a comment, even if nothing else
// changes: another projector must find exactly the unprojected records after it.
func (p *Projector) fit(ctx context.Context, s settings.Settings, changes []Job) (parts []*index.Effect, ends map[*offset]end, taken int, err error) {
	items := map[index.Key]bool{}
	ends = map[*offset]end{}
	for _, c := range changes {
		e, begun := ends[c.offset()]
		if !begun {
			e = end{c.Shard, c.Bucket, *c.offset()}
		}
		if CompareSequence(c.Sequence, e.to.sequence) <= 0 { // a record that was delivered before
			taken++
			continue
		}
		first := len(ends) == 0
		e.to.exists, e.to.sequence, e.to.saved = true, c.Sequence, c.Sequence
		if c.Created.After(e.to.readAt) {
			e.to.readAt = c.Created // later records are younger, and the stream drops them later
		}
		var of []*index.Effect
		for _, part := range c.ByProduct() {
			effect, err := p.engine.Effect(ctx, s, part)
			if err != nil {
				return nil, nil, 0, err
			}
			for _, at := range effect.Touches {
				items[at] = true
			}
			of = append(of, effect)
		}
		checkpoints := len(ends)
		if !begun {
			checkpoints++
		}
		if len(items)+checkpoints > MaxItems && !first {
			return parts, ends, taken, nil
		}
		parts, ends[c.offset()] = append(parts, of...), e
		taken++
	}
	return parts, ends, taken, nil
}

// flush reads the current settings and, in parallel, the writes of the changes under the settings
// guess. The caller drops the writes if the two differ. If the settings change later, the
// conditions of the writes fail, or younger records write the items again.
func (p *Projector) flush(ctx context.Context, guess settings.Settings, effects []*index.Effect) (now settings.Settings, writes []table.Write, ahead [][]table.Write, err error) {
	reading, readCtx := errgroup.WithContext(ctx)
	reading.Go(func() (err error) {
		now, err = p.settings.Read(readCtx)
		return err
	})
	reading.Go(func() (err error) {
		writes, ahead, err = p.engine.Flush(readCtx, guess, effects)
		return err
	})
	err = reading.Wait()
	return now, writes, ahead, err
}

// writeAll writes the last sets together with writes, until a transaction is full. It writes the
// other sets before, in order and in as few transactions as possible.
func (p *Projector) writeAll(ctx context.Context, ends map[*offset]end, writes []table.Write, sets [][]table.Write) error {
	last := batch{}
	last.add(writes)
	for len(sets) > 0 && last.add(sets[len(sets)-1]) {
		sets = sets[:len(sets)-1]
	}
	for len(sets) > 0 {
		part := batch{}
		for from, e := range ends {
			part.add([]table.Write{from.check(e.shard, e.bucket)})
		}
		for ok := true; len(sets) > 0 && ok; {
			if ok = part.add(sets[0]); ok {
				sets = sets[1:]
			}
		}
		if len(part.writes) == len(ends) {
			return errs.Errorf(errs.Internal, "a set of %d writes does not fit into a transaction", len(sets[0]))
		}
		if err := p.t.Transact(ctx, "project a part of a change", part.writes...); err != nil {
			return err
		}
	}
	return p.t.Transact(ctx, "project the changes", last.writes...)
}

// batch has the writes of one transaction: at most MaxItems, and at most one for each item.
type batch struct {
	writes []table.Write
	items  map[string]bool
}

// add adds all writes of a set, or returns false if they do not fit. The first set always fits.
func (p *batch) add(set []table.Write) bool {
	if p.items == nil {
		p.items = map[string]bool{}
	} else if len(p.writes)+len(set) > MaxItems || slices.ContainsFunc(set, func(w table.Write) bool { return p.items[w.Item()] }) {
		return false
	}
	for _, w := range set {
		p.items[w.Item()] = true
	}
	p.writes = append(p.writes, set...)
	return true
}

// settle reads the offsets again after a transaction failed or may have failed. It returns errRace
// if the remaining changes must be tried again.
func (p *Projector) settle(ctx context.Context, ends map[*offset]end, cause error) error {
	if errors.Is(cause, index.ErrOutdated) {
		return cause
	}
	_, refused := table.IsRefused(cause)
	overtaken, err := p.overtaken(ctx, ends)
	switch {
	case err != nil:
		return err
	case refused || overtaken:
		return errRace
	case errors.Is(cause, stats.ErrNegative):
		return errors.Join(cause, p.markBroken(ctx, true))
	}
	return cause // if the transaction took effect after all, the next step finds it in the offsets
}

// overtaken reads the checkpoints again. It reports whether one has changed, by another process or
// by an own transaction with a lost answer.
func (p *Projector) overtaken(ctx context.Context, ends map[*offset]end) (changed bool, err error) {
	keys := make([]table.Item, 0, len(ends))
	byKey := make(map[string]*offset, len(ends))
	for m, e := range ends {
		pk := key.BucketCheckpoint(e.shard.ID, e.bucket)
		keys, byKey[pk] = append(keys, table.Key(pk)), m
	}
	found := make(map[*offset]table.Item, len(ends))
	err = p.t.GetMany(ctx, keys, true, func(it table.Item) error {
		found[byKey[table.Text(it, key.PK)]] = it
		return nil
	})
	if err != nil {
		return false, err
	}
	for m := range ends {
		read, err := m.read(found[m])
		if err != nil {
			return changed, err
		}
		changed = changed || read.saved != m.saved || read.exists != m.exists
		*m = read
	}
	return changed, nil
}

func (p *Projector) touchStale(ctx context.Context, generation int, changes []Job) error {
	var touches []table.Write
	for _, c := range changes {
		if stale(c.Change, generation) {
			touches = append(touches, touchOf(key.Comment(c.ID), generation))
		}
	}
	return index.Touch(ctx, p.t, touches...)
}
