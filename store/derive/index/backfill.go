package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Backfill adds existing comments to an index of entries, product by product, during reads and
// writes of clients. Only the projector writes entries: a backfill touches comments, so that the
// projector writes the entries in order with other changes, and then checks that all entries exist.
// The progress is stored. Every process that projects continues it; conditions on the revision let
// one process take each step.
//
//	absent ─▶ building ─▶ readable ─▶ disabled ─▶ absent
//	             │  ▲
//	             ▼  │ the next step
//	            failed
type Backfill struct {
	Table     *table.Table
	Settings  *settings.Store
	Partition string    // the partition key of the backfills' items
	In        key.Index // of the entries: the table, or key.Columns

	// Wanted reports whether backfills may exist. Looking for them costs half a read unit.
	Wanted func(settings.Settings) bool
	// Target returns the target of a product's comments, such as a version of definitions; empty if
	// they must have no entries. If the target changes, the backfill begins again.
	Target func(ctx context.Context, product string) (string, error)
	// Reached reports whether a comment was written or touched under the target.
	Reached func(of *Image, target string) bool
	// Untouched is true if a comment that has not reached the target may have its entries already.
	// Then only comments without entries are touched.
	Untouched bool
	// Touch touches comments that have not reached the target.
	Touch func(ctx context.Context, comments []*Image, target string) error
	// Key returns the key of one entry of a comment. The projector writes all entries of the
	// comment together with it.
	Key func(*Image) Key
	// Written reports whether the entry at Key was written under the target.
	Written func(entry table.Item, target string) bool
	// Counted returns the number of projected comments of a product. A backfill calls it before it
	// compares comments with entries. If it then finds fewer comments, the list of comments is
	// behind, and the backfill goes through the list again. Nil for an index that needs no such
	// check.
	Counted func(ctx context.Context, product string) (int, error)
	// Remove removes the entries of some comments of a disabled product, and returns the number of
	// comments, 0 if no entries remain. Nil if touches remove entries.
	Remove func(ctx context.Context, product string) (comments int, err error)
	// End stores that all comments have reached the target, or that all entries are removed, in one
	// transaction with another write. It returns a Conflict error if the target has changed since.
	End func(ctx context.Context, of Progress, target string, with table.Write) error

	seen table.Sightings[sighting]
}

const (
	backfillPage = 100         // comments of one step, after which the progress is stored
	maintainTime = time.Minute // longest time of a call of Maintain
	// BackfillPause is the longest time between two calls of Maintain, and so until a backfill
	// begins. Looking for backfills costs half a read unit.
	BackfillPause = 2 * time.Second
	// finishPatience is the time without progress after which Finish gives up: no projector seems
	// to run.
	finishPatience = time.Minute
	// mostPasses is the number of passes through the list of comments that count as progress while
	// the list is behind. Usually it is behind for moments only.
	mostPasses = 3
	touchers   = 8 // comments touched at once
)

// Touch touches comments, so that the stream gets a record of each. It skips a comment that does
// not fulfil the write's condition. A touch costs a write unit for each KB of the comment, and more
// if it changes attributes that DynamoDB's indexes project.
func Touch(ctx context.Context, t *table.Table, touches ...table.Write) error {
	touching, ctx := errgroup.WithContext(ctx)
	touching.SetLimit(touchers)
	for _, w := range touches {
		touching.Go(func() error {
			err := t.Write(ctx, "touch a comment", w)
			if _, refused := table.IsRefused(err); refused {
				return nil
			}
			return err
		})
	}
	return touching.Wait()
}

// Maintain continues all backfills for at most a minute, one step of each in turn. A backfill that
// fails or waits for the projector does not stop the others. The next call continues, in any
// process.
func (b *Backfill) Maintain(ctx context.Context) error {
	now, err := b.Settings.Recent(ctx)
	if err != nil || now.State != settings.StateKept || !b.Wanted(now) {
		return err
	}
	all, err := b.All(ctx)
	if err != nil {
		return err
	}
	turns, err := b.settled(ctx, all)
	if len(turns) > 0 { // random, so that no backfill is always the last one
		first := int(b.Table.Random().Int64N(int64(len(turns))))
		turns = slices.Concat(turns[first:], turns[:first])
	}
	until := b.Table.Now().Add(maintainTime)
	for waiting := 0; waiting < len(turns) && b.Table.Now().Before(until) && ctx.Err() == nil; {
		p := turns[0]
		turns = turns[1:]
		did, stepErr := b.step(ctx, p)
		err = errors.Join(err, stepErr)
		switch did {
		case waits, behind:
			turns = append(turns, p)
			waiting++
		case moved:
			turns = append(turns, p)
			waiting = 0
		}
	}
	return err
}

// sighting is a revision of a backfill that this process has seen.
type sighting struct {
	product  string
	revision int
}

// settled returns the backfills that may begin. Until every process knows the target, a process may
// write or project comments without regard to it, and readers may expect entries of the old target.
// A process that has seen a backfill for SettleTime by its own clock marks it as settled.
func (b *Backfill) settled(ctx context.Context, all []Progress) (settled []*Progress, err error) {
	var waiting []sighting
	for i := range all {
		p := &all[i]
		if p.Settled || p.Group != "" { // a product that joins the group gets its own backfill
			continue
		}
		if p.Since.IsZero() {
			p.Since = b.Table.Now()
			_, saveErr := b.save(ctx, p)
			err = errors.Join(err, saveErr)
		}
		waiting = append(waiting, sighting{p.Product, p.revision})
	}
	now := b.Table.Now()
	b.seen.See(now, waiting...)
	for i := range all {
		p := &all[i]
		p.Settled = p.Settled || p.Group != "" ||
			b.seen.Age(now, sighting{p.Product, p.revision}) >= b.Settings.SettleTime()
		if p.Settled {
			settled = append(settled, p)
		}
	}
	return settled, err
}

// Settles estimates how much longer a backfill waits until it is settled. Clocks of processes may
// differ.
func (b *Backfill) Settles(p *Progress) time.Duration {
	switch {
	case p.Group != "" || p.Settled:
		return 0
	case p.Since.IsZero():
		return b.Settings.SettleTime()
	}
	return min(b.Settings.SettleTime(), max(0, b.Settings.SettleTime()-b.Table.Now().Sub(p.Since)))
}

// Finish continues the backfill of a product, if there is one, until it ends; known is true if
// every process knows the target. A projector must be running. Finish calls progress, which may be
// nil, with the number of comments that were touched or lost their entries. It returns an
// Unavailable error if no projector seems to run, or the context's error if that ends first.
func (b *Backfill) Finish(ctx context.Context, product string, known bool, progress func(comments int)) error {
	ctx = table.Patiently(ctx)
	last := b.Table.Now() // when the last step succeeded
	var lags time.Time    // when the list of comments was first found to be behind
	passes := 0           // passes that found the list behind
	for pause := b.Table.NewPause(); ; {
		all, err := b.All(ctx)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(all, func(p Progress) bool { return p.Product == product && p.Group == "" })
		if i < 0 {
			return nil
		}
		ready, err := b.settled(ctx, all)
		if err != nil {
			return err
		}
		p, did := &all[i], waits
		if known || slices.Contains(ready, p) {
			for did = moved; did == moved; {
				touches := !p.Checking
				if did, err = b.step(ctx, p); err != nil {
					return err
				}
				switch did {
				case moved, ended:
					last = b.Table.Now()
				case behind:
					if passes++; passes == 1 {
						lags = b.Table.Now()
					}
				}
				if touches && did == moved && progress != nil {
					progress(p.Comments)
				}
			}
		} else {
			last = b.Table.Now()
		}
		if passes > mostPasses { // another pass is no progress: statistics may count too many comments
			last = lags
		}
		if b.Table.Now().Sub(last) > finishPatience {
			return errs.Errorf(errs.Unavailable, "The comments of product %q are not all indexed yet: a projector completes this, so check that one is running, or run this again later", product)
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("finish a backfill", err)
		}
	}
}
