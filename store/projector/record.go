package projector

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Record is a change of an item, as the table's stream tells it.
type Record struct {
	Sequence string    // sequence number, decimal; grows within a shard
	Created  time.Time // about when the change was made; engines round it
	// Before and After are the item's images, nil where there was none.
	Before, After table.Item
}

// CompareSequence orders the sequence numbers of a shard, which are decimal
// numbers of any length, perhaps with leading zeros. Empty comes first.
func CompareSequence(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

// changeOf picks out what a record says about a comment; ok is false for every
// other record, first of all those of what the projector itself writes. It
// returns an Internal error for a comment's item that is damaged.
func changeOf(r Record) (c Change, ok bool, err error) {
	c = Change{Sequence: r.Sequence, Created: r.Created}
	for _, side := range []struct {
		item table.Item
		to   **Image
	}{{r.Before, &c.Was}, {r.After, &c.Is}} {
		id, isComment := key.CommentID(table.Text(side.item, key.PK))
		if !isComment || item.IsDeleted(side.item) {
			continue
		}
		stored, err := item.Read(side.item, "")
		if err != nil {
			return c, false, err
		}
		c.ID, ok = id, true
		*side.to = &Image{stored, side.item}
	}
	c.Before, c.After = c.Was.published(), c.Is.published()
	if name := item.WritesOf(r.After).Last(); name != item.WritesOf(r.Before).Last() {
		c.Name = name
	} else if c.After != nil && (c.Before == nil || c.Before.Voted != c.After.Voted) {
		c.Name = c.After.Voted
	}
	return c, ok, nil
}

// GroupOf returns the group of a product, if there are so many.
func GroupOf(product string, groups int) int {
	h := fnv.New64a()
	h.Write([]byte(product))
	return int(h.Sum64() % uint64(max(groups, 1)))
}

// Deal divides a record among groups of products: usually it goes to one, and
// to two if the comment went from one product to another, of which each gets its side.
// A record of no interest goes to none. It returns an Internal error for a damaged item.
func (p *Projector) Deal(r Record, groups int, to func(group int, c Change)) error {
	c, ok, err := changeOf(r)
	if err != nil {
		return err
	}
	if !ok {
		return p.watch(r, groups, to)
	}
	sides := c.sides()
	first, last := sides[0].Subject(), sides[len(sides)-1].Subject()
	if GroupOf(first.Product, groups) == GroupOf(last.Product, groups) {
		sides = []Change{c} // the group's checkpoint passes over both at once
	}
	for _, side := range sides {
		to(GroupOf(side.Subject().Product, groups), side)
	}
	return nil
}

// sides returns the change as products see it: from one it goes, to the other it
// comes, unless both are the same.
func (c Change) sides() []Change {
	if c.Was == nil || c.Is == nil || c.Was.ProductID == c.Is.ProductID {
		return []Change{c}
	}
	left, came := c, c
	left.Is, left.After, came.Was, came.Before = nil, nil, nil, nil
	return []Change{left, came}
}

// watch deals a record that is not about a comment to the group of the product that it
// concerns.
func (p *Projector) watch(r Record, groups int, to func(group int, c Change)) error {
	for _, d := range p.derived {
		w, ok := d.(Watcher)
		if !ok || !slices.ContainsFunc(w.Watches(), func(k Keys) bool { return k.Has(r) }) {
			continue
		}
		product, ok, err := w.Watch(r)
		if err != nil {
			return err
		}
		if ok {
			to(GroupOf(product, groups), Change{Sequence: r.Sequence, Created: r.Created, Other: &r})
			return nil
		}
	}
	return nil
}
