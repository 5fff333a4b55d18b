package columns

import (
	"context"
	"time"

	"product-comments/store/attributes"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

const (
	fillPage = 100         // comments that are read at once, and touched until the progress is noted
	fillTime = time.Minute // that a call of Tend takes at most
	// tendPause is how long Tend is not called: so much later a change of definitions is
	// noticed. A look costs half a read unit.
	tendPause = 2 * time.Second
)

// Pause is part of projector.Prompt.
func (c *Columns) Pause() time.Duration { return tendPause }

// Tend carries on what brings comments to new definitions, for a minute at most; the
// next call goes on, in whatever process. It returns an Unavailable error if the store
// does not answer.
func (c *Columns) Tend(ctx context.Context) error {
	now, err := c.settings.Recent(ctx)
	if err != nil || !now.Attributes || now.State != settings.StateKept {
		return err
	}
	fills, err := c.Fills(ctx)
	if err != nil {
		return err
	}
	until := c.t.Now().Add(fillTime)
	for _, f := range fills {
		if f.Group == "" && f.Since.IsZero() {
			f.Since = c.t.Now()
			if ok, err := c.save(ctx, &f); err != nil || !ok {
				return err
			}
		}
		if c.settles(&f) > 0 {
			continue
		}
		if err := c.carryOn(ctx, &f, until); err != nil {
			return err
		}
	}
	return nil
}

// settles returns for how long a fill must wait yet. Until every process knows the
// definitions, comments may be written under older ones by one of them, and projected
// by another, so that nobody would touch them; and readers may take entries for what
// these said.
func (c *Columns) settles(f *Fill) time.Duration {
	switch {
	case f.Group != "": // a product that comes to be of the group has a fill of its own
		return 0
	case f.Since.IsZero():
		return c.settings.SettleTime()
	}
	return max(0, c.settings.SettleTime()-c.t.Now().Sub(f.Since))
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
		if err := c.carryOn(ctx, &f, c.t.Now().Add(fillTime)); err != nil {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return table.Failed("fill the columns", err)
		}
	}
}

// carryOn goes on with a fill until it is done, somebody else is faster, or the time
// is over.
func (c *Columns) carryOn(ctx context.Context, f *Fill, until time.Time) error {
	if f.Group != "" {
		return c.dealOut(ctx, f)
	}
	for c.t.Now().Before(until) && ctx.Err() == nil {
		d, err := c.definitions.Of(ctx, f.Product)
		if err != nil {
			return err
		}
		if d.Version() != f.target || f.at == "" && !f.Checking {
			f.target, f.at, f.Checking, f.Comments = d.Version(), "", false, 0
		}
		last, n, err := c.page(ctx, f, d, until)
		if err != nil || n < 0 {
			return err
		}
		done := last == "" && f.Checking
		if f.at, f.Comments = last, f.Comments+n; last == "" {
			f.Checking, f.Comments = true, 0
		}
		if done {
			return c.finish(ctx, f)
		}
		if ok, err := c.save(ctx, f); err != nil || !ok {
			return err
		}
	}
	return nil
}

// page touches the next comments that are of other definitions, or finds out that all
// of the next comments are written with all their entries, and waits for that. last is
// the place of the last comment, empty at the end; n is how many there were, -1 if the
// time was over.
func (c *Columns) page(ctx context.Context, f *Fill, d *attributes.Definitions, until time.Time) (last string, n int, err error) {
	all := key.PartitionAll(f.Product)
	q := table.Query{Partition: all, Descending: true, Limit: fillPage}
	if at, ok := key.ParseSortKey(f.at); ok {
		q.After = at.StartKey(all)
	}
	items, next, err := c.t.Query(ctx, q)
	if err != nil {
		return "", 0, err
	}
	keys := make([]table.Item, len(items))
	for i, it := range items {
		keys[i] = table.Primary(it)
	}
	for pause := c.t.NewPause(); ; {
		lacking, err := c.lacking(ctx, keys, d, f.Checking)
		if err != nil {
			return "", 0, err
		}
		if lacking == 0 || !f.Checking {
			break
		}
		if err := pause.Wait(ctx); err != nil || c.t.Now().After(until) {
			return "", -1, table.Failed("fill the columns", err)
		}
	}
	if next != nil {
		last = table.Text(items[len(items)-1], key.GSISK)
	}
	return last, len(items), nil
}

// lacking touches those of the comments that are of other definitions, and returns
// how many those are, and if asked for also those whose entries are.
func (c *Columns) lacking(ctx context.Context, keys []table.Item, d *attributes.Definitions, entries bool) (n int, err error) {
	var stale []*projector.Image
	want := map[place]bool{}
	var damage error
	err = c.t.GetMany(ctx, keys, true, func(it table.Item) {
		if item.IsHidden(it) {
			return
		}
		stored, err := item.Read(it, "")
		if err != nil {
			damage = err
			return
		}
		im := &projector.Image{Stored: stored, Item: it}
		if im.Defined != d.Version() {
			stale = append(stale, im)
			return
		}
		if at, ok := placesOf(im, d)[column{im.ProductID, key.Helpful}]; ok {
			want[at] = true
		}
	})
	if err == nil {
		err = damage
	}
	if err == nil {
		err = c.touchStale(ctx, stale)
	}
	if err != nil || !entries {
		return len(stale), err
	}
	places := make([]table.Item, 0, len(want))
	for at := range want {
		places = append(places, at.key())
	}
	err = c.t.Columns().GetMany(ctx, places, true, func(it table.Item) {
		if table.Text(it, attrVersion) == d.Version() {
			delete(want, place{table.Text(it, key.PK), string(table.Bytes(it, key.SK))})
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
