package index

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// Backfill brings comments that are there already into an index of entries, product by
// product, while reads and writes go on. Only the projector writes entries: a backfill
// touches comments, so that their records bring the entries at their place among other
// changes, and then makes sure that all entries are there. How far it is, is stored; every
// process that projects carries it on, and whichever is faster wins.
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

	// Wanted reports whether there may be something to do: a look costs half a read unit.
	Wanted func(settings.Settings) bool
	// Target names what the comments of a product are to be brought to, such as a version
	// of definitions; empty if they are to have no entries. If it changes, the backfill
	// begins again.
	Target func(ctx context.Context, product string) (string, error)
	// Reached reports whether a comment was written or touched under the target.
	Reached func(of *Image, target string) bool
	// Untouched is true if a comment may have its entries although it has not reached the
	// target: then it need not be touched.
	Untouched bool
	// Touch touches comments that have not reached the target.
	Touch func(ctx context.Context, comments []*Image, target string) error
	// Key returns where the entry of a comment is that comes with all others.
	Key func(*Image) Key
	// Written reports whether such an entry was written under the target.
	Written func(entry table.Item, target string) bool
	// Counted returns how many comments of a product were projected. If fewer are found in
	// the end than were counted before all are compared, the list of comments is behind, and
	// all are looked through again. Nil for an index that takes the list as it is.
	Counted func(ctx context.Context, product string) (int, error)
	// Remove removes the entries of some comments of a product that is disabled, and
	// returns of how many; 0 if there are none. Nil if entries go by touches.
	Remove func(ctx context.Context, product string) (comments int, err error)
	// End notes that all comments have reached the target, or that all entries are
	// removed, together with another write. It returns a Conflict error if that is not to
	// be any more.
	End func(ctx context.Context, of Progress, target string, with table.Write) error

	seen table.Sightings[sighting]
}

const (
	backfillPage = 100         // comments that are read at once, and touched until the progress is noted
	maintainTime = time.Minute // that a call of Maintain takes at most
	// BackfillPause is for how long Maintain is not called at most: so much later a
	// backfill is begun. A look costs half a read unit.
	BackfillPause = 2 * time.Second
	// finishPatience is how long nothing may move until Finish gives up, since no
	// projector seems to run.
	finishPatience = time.Minute
	// mostPasses is how often all comments are looked through again although the list of
	// comments is behind, however long that takes: an index is behind for moments.
	mostPasses = 3
	touchers   = 8 // comments that are touched at once
)

// Touch makes touches of comments, so that the stream has a record of each. A comment for
// which its condition does not hold is passed over. It costs a write unit for each KB of a
// comment unless it changes what indexes carry. It returns an Unavailable error if the
// store does not answer.
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

// Maintain carries on all backfills, for a minute at most, a page of each in turn: one that
// waits for the projector, or fails, does not stop the others. The next call continues, in
// whatever process. It returns an Unavailable error if the store does not answer.
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
	if len(turns) > 0 { // so that none is always the last
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

// sighting is a backfill as begun, or seen first by a projector.
type sighting struct {
	product  string
	revision int
}

// settled returns the backfills that need wait no longer. Until every process knows the
// target, comments may be written or projected without regard to it, and readers may take
// entries for what these were. A process that has seen a backfill for that long by its own
// clock notes so.
func (b *Backfill) settled(ctx context.Context, all []Progress) (settled []*Progress, err error) {
	var waiting []sighting
	for i := range all {
		p := &all[i]
		if p.Settled || p.Group != "" { // a product that joins the group has its own backfill
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

// Settles returns for how long a backfill is likely to wait yet, by clocks that may differ.
func (b *Backfill) Settles(p *Progress) time.Duration {
	switch {
	case p.Group != "" || p.Settled:
		return 0
	case p.Since.IsZero():
		return b.Settings.SettleTime()
	}
	return min(b.Settings.SettleTime(), max(0, b.Settings.SettleTime()-b.Table.Now().Sub(p.Since)))
}

// Finish carries on the backfill of a product until it ends, if there is one; known is true
// if every process knows the target. A projector must be running. progress, which may be
// nil, gets the comments that were touched, or whose entries were removed. It returns an
// Unavailable error if the store does not answer or no projector seems to run, or the
// context's if that ends first.
func (b *Backfill) Finish(ctx context.Context, product string, known bool, progress func(comments int)) error {
	ctx = table.Patiently(ctx)
	last := b.Table.Now() // when something moved
	var lags time.Time    // since when the list of comments is known to be behind
	passes := 0           // that ended so
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
		if passes > mostPasses { // another pass is no progress: statistics may count too many
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

// stepped is what came of a step of a backfill.
type stepped int

const (
	ended  stepped = iota // it is done, it failed, or another process is faster
	moved                 // there is more to do
	waits                 // for the projector
	behind                // the list of comments lacks some that were counted: all are looked through again
)

// step carries on a backfill by a page of comments. That it fails for another reason than
// that the store does not answer is noted, and it is tried again.
func (b *Backfill) step(ctx context.Context, p *Progress) (did stepped, err error) {
	switch {
	case p.Group != "":
		did, err = ended, b.divide(ctx, p)
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
func (b *Backfill) remove(ctx context.Context, p *Progress) (stepped, error) {
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

// moved notes a step.
func (b *Backfill) moved(ctx context.Context, p *Progress) (stepped, error) {
	p.Failed = ""
	if ok, err := b.save(ctx, p); err != nil || !ok {
		return ended, err
	}
	return moved, nil
}

// end notes the end, unless another process was faster.
func (b *Backfill) end(ctx context.Context, p *Progress) error {
	err := b.End(ctx, *p, p.target, p.ended())
	if _, other := table.IsRefused(err); other {
		return nil
	}
	return err
}

// build touches the next comments that have not reached the target, or finds out that all
// of the next comments are written with all their entries.
func (b *Backfill) build(ctx context.Context, p *Progress) (stepped, error) {
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
	lacking, err := b.lacking(ctx, p, items)
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

// lacking touches the comments that have not reached the target and, during the final check,
// also the comments with missing entries. It returns their number.
func (b *Backfill) lacking(ctx context.Context, p *Progress, items []table.Item) (n int, err error) {
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

// unwritten returns the comments whose entries were not written under the target.
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

// divide makes a backfill of a group one of each of its products.
func (b *Backfill) divide(ctx context.Context, p *Progress) error {
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
	if _, other := table.IsRefused(err); other { // the group's definitions have changed again
		return nil
	}
	return err
}
