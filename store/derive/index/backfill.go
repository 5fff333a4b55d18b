package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
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

// outcome is the outcome of a step of a backfill.
type outcome int

const (
	ended  outcome = iota // the backfill is done or failed, or another process is faster
	moved                 // there is more to do
	waits                 // for the projector
	behind                // the list lacks comments that were counted: another pass begins
)

// step continues a backfill by a page of comments. It stores an error in the progress unless that
// is Unavailable or Conflict. The next step tries again.
func (b *Backfill) step(ctx context.Context, p *Progress) (did outcome, err error) {
	switch {
	case p.Group != "":
		did, err = ended, b.divideGroup(ctx, p)
	case p.Removing:
		did, err = b.remove(ctx, p)
	default:
		did, err = b.build(ctx, p)
	}
	if code := errs.CodeOf(err); err != nil && code != errs.Unavailable && code != errs.Conflict &&
		ctx.Err() == nil && p.Failed != err.Error() {
		p.Failed = err.Error()
		_, saveErr := b.save(ctx, p)
		err = errors.Join(err, saveErr)
	}
	return did, err
}

// remove removes the entries of the next comments.
func (b *Backfill) remove(ctx context.Context, p *Progress) (outcome, error) {
	n, err := b.Remove(ctx, p.Product)
	if err != nil {
		return ended, err
	}
	if n == 0 {
		return ended, b.end(ctx, p)
	}
	p.Comments += n
	return b.moved(ctx, p)
}

// moved stores the progress after a step.
func (b *Backfill) moved(ctx context.Context, p *Progress) (outcome, error) {
	p.Failed = ""
	if ok, err := b.save(ctx, p); err != nil || !ok {
		return ended, err
	}
	return moved, nil
}

// end ends the backfill, unless another process was faster.
func (b *Backfill) end(ctx context.Context, p *Progress) error {
	err := b.End(ctx, *p, p.target, p.ended())
	if _, other := table.IsRefused(err); other {
		return nil
	}
	return err
}

// build touches the next comments that have not reached the target, or checks that the next
// comments have all their entries.
func (b *Backfill) build(ctx context.Context, p *Progress) (outcome, error) {
	target, err := b.Target(ctx, p.Product)
	if err != nil {
		return ended, err
	}
	if target != p.target || p.at == "" && !p.Checking {
		p.target, p.at, p.Checking, p.Comments = target, "", false, 0
	}
	if p.Checking && p.at == "" {
		p.Comments = 0
	}
	all := key.PartitionAll(p.Product)
	q := table.Query{Partition: all, Descending: true, Limit: backfillPage}
	if at, ok := key.ParseSortKey(p.at); ok {
		q.After = all.StartKey(p.at, at.CommentID)
	}
	items, next, err := b.Table.Query(ctx, q)
	if err != nil {
		return ended, err
	}
	lacking, err := b.touchMissing(ctx, p, items)
	switch {
	case err != nil:
		return ended, err
	case lacking > 0 && p.Checking:
		return waits, nil
	case next == nil && p.Checking && p.Comments+len(items) < p.counted:
		p.at, p.Checking = "", false
		_, err := b.moved(ctx, p)
		return behind, err
	case next == nil && p.Checking:
		return ended, b.end(ctx, p)
	case next == nil:
		if p.at, p.Checking = "", true; b.Counted != nil {
			if p.counted, err = b.Counted(ctx, p.Product); err != nil {
				return ended, err
			}
		}
	default:
		p.at = table.Text(items[len(items)-1], key.GSISK)
	}
	p.Comments += len(items)
	return b.moved(ctx, p)
}

// touchMissing touches the comments that have not reached the target and, during the final check,
// also the comments with missing entries. It returns their number.
func (b *Backfill) touchMissing(ctx context.Context, p *Progress, items []table.Item) (n int, err error) {
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i], _ = key.CommentID(table.Text(it, key.PK))
	}
	var stale, reached []*Image
	err = item.EachOf(ctx, b.Table, ids, func(it table.Item, comment *item.Stored) error {
		if Published(comment) != p.Product {
			return nil
		}
		im := &Image{Stored: *comment, Item: it}
		if b.Reached(im, p.target) {
			reached = append(reached, im)
		} else {
			stale = append(stale, im)
		}
		return nil
	})
	if err == nil && b.Untouched {
		stale, err = b.unwritten(ctx, stale, p.target)
	}
	if err == nil && len(stale) > 0 {
		err = b.Touch(ctx, stale, p.target)
	}
	if err != nil || !p.Checking || p.target == "" {
		return len(stale), err
	}
	reached, err = b.unwritten(ctx, reached, p.target)
	return len(stale) + len(reached), err
}

// unwritten returns the comments with entries that were not written under the target.
func (b *Backfill) unwritten(ctx context.Context, comments []*Image, target string) ([]*Image, error) {
	t, written := b.Table, map[Key]bool{}
	if b.In == key.Columns {
		t = t.Columns()
	}
	keys := make([]table.Item, len(comments))
	for i, im := range comments {
		keys[i] = b.Key(im).Item(b.In)
	}
	err := t.GetMany(ctx, keys, true, func(it table.Item) error {
		at := Key{PK: table.Text(it, key.PK), SK: table.Text(it, key.SK)}
		if b.In == key.Columns {
			at.SK = string(table.Bytes(it, key.SK))
		}
		written[at] = b.Written(it, target)
		return nil
	})
	return slices.DeleteFunc(comments, func(im *Image) bool { return written[b.Key(im)] }), err
}

// divideGroup replaces the backfill of a group by a backfill of each of its products.
func (b *Backfill) divideGroup(ctx context.Context, p *Progress) error {
	err := b.Table.Each(ctx, key.Partition{Index: key.Table, Value: key.AttributeGroup(p.Group)}, func(it table.Item) error {
		product, ok := key.ProductID(table.Text(it, key.SK))
		if !ok {
			return nil
		}
		return b.Table.Write(ctx, "begin a backfill", b.Begin(product, false))
	})
	if err != nil {
		return err
	}
	err = b.Table.Write(ctx, "end a backfill", p.ended())
	if _, other := table.IsRefused(err); other { // the definitions of the group have changed again
		return nil
	}
	return err
}
