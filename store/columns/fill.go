package columns

import (
	"context"
	"errors"
	"slices"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/index"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/table"
)

const (
	fillPage = 100         // comments that are read at once, and touched until the progress is noted
	fillTime = time.Minute // that a call of Maintain takes at most
	// maintainPause is how long Maintain is not called: so much later a change of definitions is
	// noticed. A look costs half a read unit.
	maintainPause = 2 * time.Second
)

// Pause is part of index.Prompt.
func (c *Columns) Pause() time.Duration { return maintainPause }

// Maintain carries on what brings comments to new definitions, for a minute at most, a page
// of each in turn: one that waits for the projector, or fails, keeps no other from going
// on. The next call goes on, in whatever process. It returns an Unavailable error if the
// store does not answer.
func (c *Columns) Maintain(ctx context.Context) error {
	now, err := c.settings.Recent(ctx)
	if err != nil || !now.Attributes || now.State != settings.StateKept {
		return err
	}
	fills, err := c.Fills(ctx)
	if err != nil {
		return err
	}
	turns, err := c.settled(ctx, fills)
	if len(turns) > 0 { // so that none is always the last
		first := int(c.t.Random().Int64N(int64(len(turns))))
		turns = slices.Concat(turns[first:], turns[:first])
	}
	until := c.t.Now().Add(fillTime)
	for waiting := 0; waiting < len(turns) && c.t.Now().Before(until) && ctx.Err() == nil; {
		f := turns[0]
		turns = turns[1:]
		did, stepErr := c.step(ctx, f)
		err = errors.Join(err, stepErr)
		switch did {
		case waits:
			turns = append(turns, f)
			waiting++
		case moved:
			turns = append(turns, f)
			waiting = 0
		}
	}
	return err
}

// sighting is a fill as it was begun, or seen first by a projector.
type sighting struct {
	product  string
	revision int
}

// settled returns the fills that need wait no longer. Until every process knows the
// definitions, comments may be written under older ones by one of them, and projected
// by another, so that nobody would touch them; and readers may take entries for what
// these said. A process that has seen a fill for that long by its own clock notes so.
func (c *Columns) settled(ctx context.Context, fills []Fill) (settled []*Fill, err error) {
	var waiting []sighting
	for i := range fills {
		f := &fills[i]
		if f.Settled || f.Group != "" { // a product that comes to be of the group has a fill of its own
			continue
		}
		if f.Since.IsZero() {
			f.Since = c.t.Now()
			_, saveErr := c.save(ctx, f)
			err = errors.Join(err, saveErr)
		}
		waiting = append(waiting, sighting{f.Product, f.revision})
	}
	now := c.t.Now()
	c.settling.See(now, waiting...)
	for i := range fills {
		f := &fills[i]
		f.Settled = f.Settled || f.Group != "" || c.settling.Age(now, sighting{f.Product, f.revision}) >= c.settings.SettleTime()
		if f.Settled {
			settled = append(settled, f)
		}
	}
	return settled, err
}

// settles returns for how long a fill is likely to wait yet, by clocks that may differ.
func (c *Columns) settles(f *Fill) time.Duration {
	switch {
	case f.Group != "" || f.Settled:
		return 0
	case f.Since.IsZero():
		return c.settings.SettleTime()
	}
	return min(c.settings.SettleTime(), max(0, c.settings.SettleTime()-c.t.Now().Sub(f.Since)))
}

// Fill brings a product's comments to its definitions at once, if that is to be done.
// Every process must know these, and a projector must be running. It returns an
// Unavailable error if the store does not answer, or the context's if that ends first.
func (c *Columns) Fill(ctx context.Context, product string) error {
	ctx = table.Patiently(ctx)
	for pause := c.t.NewPause(); ; {
		it, err := c.t.Get(ctx, "how far a fill is", fillKey(key.Product(product)))
		if err != nil || it == nil {
			return err
		}
		f, err := parseFill(it)
		if err != nil {
			return err
		}
		for did := moved; did == moved; {
			if did, err = c.step(ctx, &f); err != nil {
				return err
			}
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("fill the columns", err)
		}
	}
}

// stepped is what came of a step of a fill.
type stepped int

const (
	ended stepped = iota // it is done, it failed, or another process is faster
	moved                // there is more to do
	waits                // for the projector
)

// step goes on with a fill by a page of comments.
func (c *Columns) step(ctx context.Context, f *Fill) (stepped, error) {
	if f.Group != "" {
		return ended, c.dealOut(ctx, f)
	}
	d, err := c.definitions.Of(ctx, f.Product)
	if err != nil {
		return ended, err
	}
	if d.Version() != f.target || f.at == "" && !f.Checking {
		f.target, f.at, f.Checking, f.Comments = d.Version(), "", false, 0
	}
	last, n, err := c.page(ctx, f, d)
	switch {
	case err != nil:
		return ended, err
	case n < 0:
		return waits, nil
	}
	done := last == "" && f.Checking
	if f.at, f.Comments = last, f.Comments+n; last == "" {
		f.Checking, f.Comments = true, 0
	}
	if done {
		return ended, c.finish(ctx, f)
	}
	if ok, err := c.save(ctx, f); err != nil || !ok {
		return ended, err
	}
	return moved, nil
}

// page touches the next comments that are of other definitions, or finds out that all
// of the next comments are written with all their entries. last is the place of the last
// comment, empty at the end; n is how many there were, -1 if the projector has yet to
// write some.
func (c *Columns) page(ctx context.Context, f *Fill, d *attributes.Definitions) (last string, n int, err error) {
	all := key.PartitionAll(f.Product)
	q := table.Query{Partition: all, Descending: true, Limit: fillPage}
	if at, ok := key.ParseSortKey(f.at); ok {
		q.After = all.StartKey(f.at, at.CommentID)
	}
	items, next, err := c.t.Query(ctx, q)
	if err != nil {
		return "", 0, err
	}
	ids := make([]string, len(items))
	for i, it := range items {
		ids[i], _ = key.CommentID(table.Text(it, key.PK))
	}
	lacking, err := c.lacking(ctx, ids, d, f.Checking)
	if err != nil || lacking > 0 && f.Checking {
		return "", -1, err
	}
	if next != nil {
		last = table.Text(items[len(items)-1], key.GSISK)
	}
	return last, len(items), nil
}

// lacking touches those of the comments that are of other definitions, and returns
// how many those are, and if asked for also those whose entries are.
func (c *Columns) lacking(ctx context.Context, ids []string, d *attributes.Definitions, entries bool) (n int, err error) {
	var stale []*index.Image
	want := map[index.Place]bool{}
	err = item.EachOf(ctx, c.t, ids, func(it table.Item, comment *item.Stored) error {
		if comment = comment.OrHidden(); comment == nil {
			return nil
		}
		im := &index.Image{Stored: *comment, Item: it}
		if im.Defined != d.Version() {
			stale = append(stale, im)
		} else if at, ok := placesOf(im, d)[key.Helpful]; ok {
			want[at] = true
		}
		return nil
	})
	if err == nil {
		err = c.touchStale(ctx, stale)
	}
	if err != nil || !entries {
		return len(stale), err
	}
	places := make([]table.Item, 0, len(want))
	for at := range want {
		places = append(places, at.Key(key.Columns))
	}
	err = c.t.Columns().GetMany(ctx, places, true, func(it table.Item) {
		if table.Text(it, attrVersion) == d.Version() {
			delete(want, index.Place{PK: table.Text(it, key.PK), SK: string(table.Bytes(it, key.SK))})
		}
	})
	return len(stale) + len(want), err
}

// finish notes that all comments of a product have reached the fill's version.
func (c *Columns) finish(ctx context.Context, f *Fill) error {
	state := table.Write{Key: stateKey(f.Product), Delete: true}
	if f.target != "" {
		it := stateKey(f.Product)
		it[attrFilled] = table.S(f.target)
		state = table.Write{Put: it}
	}
	err := c.t.Transact(ctx, "end a fill", state, table.Write{Key: table.Primary(f.item), Delete: true}.Unchanged(f.item, attrRevision))
	if _, other := table.IsRefused(err); other {
		return nil
	}
	return err
}

// dealOut makes a fill of a group one of each of its products.
func (c *Columns) dealOut(ctx context.Context, f *Fill) error {
	err := c.t.Each(ctx, key.Partition{Index: key.Table, Value: key.AttributeGroup(f.Group)}, func(it table.Item) error {
		if _, ok := key.ProductID(table.Text(it, key.SK)); !ok {
			return nil
		}
		return c.t.Write(ctx, "begin a fill", c.newFill(table.Text(it, key.SK)))
	})
	if err != nil {
		return err
	}
	err = c.t.Write(ctx, "end a fill", table.Write{Key: table.Primary(f.item), Delete: true}.Unchanged(f.item, attrRevision))
	if _, other := table.IsRefused(err); other { // the group's definitions have changed again
		return nil
	}
	return err
}
