package powerset

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// attrFilled is on comments that were touched so that they are copied: the
// revision of the control item, N. It stays in the item, and says nothing else.
const attrFilled = "ps"

const (
	fillPage     = 100 // comments that are touched until progress is told
	fillTouchers = 8   // comments that are touched at once
)

// touch makes comments be copied that were not touched yet. It costs a write
// unit for each KB of a comment, since no index carries the attribute.
func (p *PowerSets) touch(ctx context.Context, keys []table.Item, revision int) error {
	touching, ctx := errgroup.WithContext(ctx)
	touching.SetLimit(fillTouchers)
	for _, primary := range keys {
		touching.Go(func() error {
			err := p.t.Write(ctx, "touch a comment", table.Write{
				Key: primary, Update: "SET " + attrFilled + " = :rev",
				If:     item.NotDeleted + " AND (attribute_not_exists(" + attrFilled + ") OR " + attrFilled + " <> :rev)",
				Values: table.Item{":rev": table.N(revision)},
			})
			if _, done := table.IsRefused(err); done {
				return nil
			}
			return err
		})
	}
	return touching.Wait()
}

// revision returns the revision of a product's control item.
func (p *PowerSets) revision(ctx context.Context, product string) (int, error) {
	it, err := p.t.Get(ctx, "a control item", controlKey(product))
	if err != nil {
		return 0, err
	}
	if it == nil {
		return 0, changed(product)
	}
	return table.Number(it, attrRevision)
}

// completePatience is how long nothing may have been copied until switching on
// gives up, since no projector seems to run. A first look is taken after
// leastComplete, when the index has the comments of before, others at most
// mostComplete later each: a look reads all copies.
const (
	completePatience = time.Minute
	leastComplete    = time.Second
	mostComplete     = 15 * time.Second
)

// complete touches the comments that lack copies, and waits until every comment has them.
// The record of a touch makes the projector copy the comment as it is then, at its place
// among the records of other changes: so only the projector writes copies, and what they
// show is always what was projected. There must be as many copies as comments were
// counted, since an index may have lacked a comment when it was read; and none may be
// missing at the first look, nor twice in a row later, since writes go on.
//
// The counts alone do not tell: a transaction that was begun before the product
// was switched on may come after all looks, and count comments without copying
// them. So the first look must see every comment of before.
func (p *PowerSets) complete(ctx context.Context, product string, revision int, progress func(int)) error {
	touched := 0
	moved, most := p.t.Now(), 0
	var before map[uint64]table.Item // what the look before this one missed; nil at the first
	for pause := leastComplete; ; pause = min(2*pause, mostComplete) {
		if err := table.Sleep(ctx, pause); err != nil {
			return table.Failed("compare the copies", err)
		}
		missing, copies, err := p.missing(ctx, product)
		if err != nil {
			return err
		}
		counted, err := p.counts.Total(ctx, product)
		if err != nil {
			return err
		}
		var lacking []table.Item
		for what, primary := range missing {
			if before == nil || before[what] != nil {
				lacking = append(lacking, primary)
			}
		}
		if len(lacking) == 0 && copies == counted {
			return nil
		}
		for some := range slices.Chunk(lacking, fillPage) {
			if err := p.touch(ctx, some, revision); err != nil {
				return err
			}
			if touched += len(some); progress != nil {
				progress(touched)
			}
		}
		now := p.t.Now()
		if copies > most || before == nil {
			moved, most = now, copies
		}
		if now.Sub(moved) > completePatience {
			return errs.Errorf(errs.Unavailable, "Product %q has %d copies, %d comments that are counted, and %d that lack a copy. Is a projector running? Run this again then", product, copies, counted, len(missing))
		}
		before = missing
	}
}

// missing returns the primary keys of the comments that have no copy as they
// are, by what the copy would be, and how many copies there are. The copies of
// one comment move together, so those in the partition of all comments stand for
// the others.
func (p *PowerSets) missing(ctx context.Context, product string) (missing map[uint64]table.Item, copies int, err error) {
	missing = map[uint64]table.Item{}
	err = item.Each(ctx, p.t, product, func(c *item.Stored) error {
		what, err := p.digest(ctx, c)
		missing[what] = table.Key(key.Comment(c.ID))
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	err = p.t.Each(ctx, key.PowerSet(product, "", key.AllRatings), func(it table.Item) error {
		c, err := item.Read(it, product)
		if err != nil {
			return err
		}
		what, err := p.digest(ctx, &c)
		copies++
		delete(missing, what)
		return err
	})
	return missing, copies, err
}

// empty deletes the copies. Those of one comment are there together, and the one
// among all comments goes last, so that it says what is left.
func (p *PowerSets) empty(ctx context.Context, product string, progress func(int)) error {
	all := key.PowerSet(product, "", key.AllRatings)
	n := 0
	return p.t.Each(ctx, all, func(it table.Item) error {
		c, err := item.Read(it, product)
		if err != nil {
			return err
		}
		var others []table.Item
		for _, at := range placesOf(&c) {
			if at.PK != all.Value {
				others = append(others, at.Key(key.Table))
			}
		}
		if err := p.t.RemoveMany(ctx, others); err != nil {
			return err
		}
		if err := p.t.RemoveMany(ctx, []table.Item{table.Primary(it)}); err != nil {
			return err
		}
		if n++; progress != nil {
			progress(n)
		}
		return nil
	})
}
