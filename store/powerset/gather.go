package powerset

import (
	"context"
	"maps"
	"slices"

	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// gathering is what changes mean for copies.
type gathering struct {
	of       *PowerSets
	now      settings.Settings
	comments map[projector.Subject]*copied
	products map[string]bool // with copies that change
}

// copied is a comment of a product whose copies change.
type copied struct {
	after *projector.Image // as it is in the end; nil if it has no copies then
	had   map[place]bool   // where it had copies, or may have had
	write bool             // the copies of after
}

// Gather begins a transaction's part.
func (p *PowerSets) Gather(now settings.Settings) projector.Gathering {
	return &gathering{of: p, now: now, comments: map[projector.Subject]*copied{}, products: map[string]bool{}}
}

func (g *gathering) kept(im *projector.Image) *projector.Image {
	if im == nil || !g.now.PowerSets[im.ProductID].Kept() {
		return nil
	}
	return im
}

// after returns what a comment's copies come to with one more change. The first
// and the last image of several changes are enough: nobody else writes copies,
// so there are those of the first one, if any.
func (g *gathering) after(c projector.Change) *copied {
	before, after := g.kept(c.Before), g.kept(c.After)
	was := g.comments[c.Subject()]
	if before == nil && after == nil && was == nil {
		return nil
	}
	to := &copied{after: after, had: map[place]bool{}}
	if was != nil {
		maps.Copy(to.had, was.had)
		to.write = was.write
	}
	if before != nil && was == nil {
		for _, at := range placesOf(&before.Stored) {
			to.had[at] = true
		}
	}
	if after == nil {
		to.write = false
		return to
	}
	to.write = to.write || before == nil || g.anew(before, after) || !sameCopy(before, after)
	return to
}

// anew tells whether a comment comes to be copied although it is as it was: it
// was touched by a rebuild, or when its product was switched on.
func (g *gathering) anew(before, after *projector.Image) bool {
	rebuilt := before.Generation < after.Generation && after.Generation == g.now.Generation
	filled := after.Item[attrFilled] != nil && !table.SameValue(before.Item[attrFilled], after.Item[attrFilled])
	return rebuilt || filled
}

// gone returns where the comment had copies, or may have had, and has none in
// the end.
func (c *copied) gone() map[place]bool {
	gone := maps.Clone(c.had)
	if c.after != nil {
		for _, at := range placesOf(&c.after.Stored) {
			delete(gone, at)
		}
	}
	return gone
}

func (c *copied) items() int {
	if c == nil {
		return 0
	}
	n := len(c.gone())
	if c.write {
		n += copiesOfComment
	}
	return n
}

// Needs counts copies, and the control item of a product.
func (g *gathering) Needs(c projector.Change) int {
	n := g.after(c).items() - g.comments[c.Subject()].items()
	if g.concerns(c) && !g.products[c.Subject().Product] {
		n++
	}
	return n
}

// concerns reports whether the product's copies are kept, and the change may change them.
func (g *gathering) concerns(c projector.Change) bool {
	return g.kept(c.Before) != nil || g.kept(c.After) != nil
}

// Take notes a change.
func (g *gathering) Take(c projector.Change) {
	if to := g.after(c); to != nil {
		g.comments[c.Subject()] = to
		if g.concerns(c) {
			g.products[c.Subject().Product] = true
		}
	}
}

// Writes returns the copies to write, on the condition that they are still kept.
func (g *gathering) Writes(ctx context.Context) ([]table.Write, error) {
	var writes []table.Write
	for _, of := range slices.SortedFunc(maps.Keys(g.comments), projector.Subject.Compare) {
		c := g.comments[of]
		if c.write {
			writes = append(writes, put(c.after, g.now.Generation)...)
		}
		for _, at := range sorted(c.gone()) {
			writes = append(writes, table.Write{Key: table.KeyOf(at.pk, at.sk), Delete: true})
		}
	}
	if len(writes) == 0 {
		return nil, nil
	}
	checks, err := g.of.checks(ctx, slices.Sorted(maps.Keys(g.products)))
	return append(writes, checks...), err
}

// checks returns the conditions that the copies of products are still kept.
func (p *PowerSets) checks(ctx context.Context, products []string) ([]table.Write, error) {
	keys := make([]table.Item, len(products))
	for i, product := range products {
		keys[i] = controlKey(product)
	}
	var checks []table.Write
	var damage error
	err := p.t.GetMany(ctx, keys, true, func(it table.Item) {
		revision, err := table.Number(it, attrRevision)
		if err != nil {
			damage = err
		}
		checks = append(checks, table.Write{Key: table.Primary(it)}.IfRevision(attrRevision, revision))
	})
	switch {
	case err != nil:
		return nil, err
	case damage != nil:
		return nil, damage
	case len(checks) < len(products):
		return nil, projector.ErrOutdated
	}
	slices.SortFunc(checks, func(a, b table.Write) int {
		return slices.Compare([]string{table.Text(a.Key, key.PK)}, []string{table.Text(b.Key, key.PK)})
	})
	return checks, nil
}
