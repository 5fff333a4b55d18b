package columns

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"product-comments/store/attributes"
	"product-comments/store/key"
	"product-comments/store/projector"
	"product-comments/store/settings"
	"product-comments/store/table"
)

// gathering is what changes mean for entries.
type gathering struct {
	of       *Columns
	now      settings.Settings
	comments map[projector.Subject]*history
	order    []projector.Subject // as they came
	sets     [][]table.Write     // see Ahead
}

// history is what became of a comment of a product.
type history struct {
	images []*projector.Image // the first, and that after each change; nil where there was none
	anew   bool               // all of its entries are to be written
}

// Gather begins a transaction's part.
func (c *Columns) Gather(now settings.Settings) projector.Gathering {
	return &gathering{of: c, now: now, comments: map[projector.Subject]*history{}}
}

// concerns tells whether an image has entries.
func concerns(im *projector.Image) bool { return im != nil && versionOf(im).version != "" }

// guessed is how many entries a comment is taken to have whose definitions were not
// met yet. If they are more, the projector takes fewer changes.
const guessed = 20

// Needs counts the entries that the change writes by itself. Together with others it
// writes no more.
func (g *gathering) Needs(c projector.Change) int {
	if !concerns(c.Before) && !concerns(c.After) {
		return 0
	}
	all := map[version]*attributes.Definitions{}
	for _, im := range []*projector.Image{c.Before, c.After} {
		if !concerns(im) {
			continue
		}
		d, ok := g.of.known.Get(versionOf(im))
		if !ok {
			return guessed
		}
		all[versionOf(im)] = d
	}
	writes, sets := g.difference(&history{images: []*projector.Image{c.Before, c.After}, anew: g.anew(c)}, all, func(place) bool { return false })
	n := len(writes)
	for _, set := range sets {
		n += len(set)
	}
	return n
}

// anew tells whether a rebuild has touched the comment.
func (g *gathering) anew(c projector.Change) bool {
	return c.Before != nil && c.After != nil && c.Before.Generation < c.After.Generation && c.After.Generation == g.now.Generation
}

// Take notes a change.
func (g *gathering) Take(c projector.Change) {
	of := c.Subject()
	h := g.comments[of]
	if h == nil {
		h = &history{images: []*projector.Image{c.Before}}
		g.comments[of], g.order = h, append(g.order, of)
	}
	h.images = append(h.images, c.After)
	h.anew = h.anew || g.anew(c)
}

// Writes touches comments whose definitions are older than those of their product,
// and returns the entries of key.Helpful that change. Those of other columns may go
// ahead.
func (g *gathering) Writes(ctx context.Context) (writes []table.Write, err error) {
	if err := g.of.touchStale(ctx, g.lasts()); err != nil {
		return nil, err
	}
	g.sets = nil
	for _, of := range g.order {
		h := g.comments[of]
		definitions := map[version]*attributes.Definitions{}
		for _, im := range h.images {
			if !concerns(im) {
				continue
			}
			if definitions[versionOf(im)], err = g.of.at(ctx, versionOf(im)); err != nil {
				return nil, err
			}
		}
		if len(definitions) == 0 {
			continue
		}
		last, sets := g.difference(h, definitions, func(at place) bool {
			it, getErr := g.of.t.Columns().Get(ctx, "an entry", at.key())
			if err == nil {
				err = getErr
			}
			return it != nil
		})
		if err != nil {
			return nil, err
		}
		writes, g.sets = append(writes, last...), append(g.sets, sets...)
	}
	return writes, nil
}

// Ahead returns the writes of each column.
func (g *gathering) Ahead() [][]table.Write { return g.sets }

// lasts returns the comments as they are in the end.
func (g *gathering) lasts() (images []*projector.Image) {
	for _, of := range g.order {
		all := g.comments[of].images
		if last := all[len(all)-1]; last != nil {
			images = append(images, last)
		}
	}
	return images
}

// change is what becomes of a comment's entries in a column.
type change struct {
	put    *place // to be written, nil if it is there as it should be
	remove []place
}

// difference returns what takes the entries of a comment from the first of its images
// to the last, wherever somebody may have been who projected but some of the changes:
// entries of all images in between are removed, and what is to be there is written
// unless it was the same all along. there tells whether there is an entry.
func (g *gathering) difference(h *history, definitions map[version]*attributes.Definitions, there func(place) bool) (last []table.Write, sets [][]table.Write) {
	places := make([]map[column]place, len(h.images))
	columns := map[column]bool{}
	for i, im := range h.images {
		if concerns(im) {
			places[i] = placesOf(im, definitions[versionOf(im)])
		}
		for in := range places[i] {
			columns[in] = true
		}
	}
	end := len(h.images) - 1
	final := h.images[end]
	changes := map[column]change{}
	for in := range columns {
		to, stays := places[end][in]
		c := change{}
		write := stays && h.anew
		for i, im := range h.images[:end] {
			was, had := places[i][in]
			if had && (!stays || was != to) && !slices.Contains(c.remove, was) {
				c.remove = append(c.remove, was)
			}
			write = write || stays && (!had || was != to || !sameEntry(im, final, in))
		}
		if write {
			c.put = &to
		}
		if c.put != nil || len(c.remove) > 0 {
			changes[in] = c
		}
	}
	return g.arrange(final, changes, there)
}

// writes returns the writes of a change in a column.
func (g *gathering) writes(final *projector.Image, in column, c change) (writes []table.Write) {
	if c.put != nil {
		writes = append(writes, table.Write{In: key.Columns, Put: entry(final, in, *c.put, g.now.Generation)})
	}
	for _, at := range c.remove {
		writes = append(writes, table.Write{In: key.Columns, Key: at.key(), Delete: true})
	}
	return writes
}

// arrange orders the writes, so that some sets of them can be made before the others.
func (g *gathering) arrange(final *projector.Image, changes map[column]change, there func(place) bool) (last []table.Write, sets [][]table.Write) {
	ordered := slices.SortedFunc(maps.Keys(changes), func(a, b column) int {
		return cmp.Or(cmp.Compare(a.product, b.product), cmp.Compare(a.attribute, b.attribute))
	})
	turned := map[string]bool{} // products in which the comment comes to have no value, or one
	for _, in := range ordered {
		c := changes[in]
		if in.attribute == bare && (c.put == nil || len(c.remove) == 0) {
			turned[in.product] = true
		}
	}
	for _, in := range ordered {
		switch {
		case in.attribute == key.Helpful:
			last = append(last, g.writes(final, in, changes[in])...)
		case !turned[in.product]:
			sets = append(sets, g.writes(final, in, changes[in]))
		}
	}
	for product := range turned {
		sets = append(sets, g.turn(final, product, ordered, changes, there)...)
	}
	return last, sets
}
