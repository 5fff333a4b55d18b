package projector

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strings"

	"product-comments/store/index"
)

// CompareSequence orders the sequence numbers of a shard, which are decimal
// numbers of any length, perhaps with leading zeros. Empty comes first.
func CompareSequence(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
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
func (p *Projector) Deal(r index.Record, groups int, to func(group int, c index.Change)) error {
	c, ok, err := index.ChangeOf(r)
	if err != nil {
		return err
	}
	if !ok {
		return p.watch(r, groups, to)
	}
	sides := c.Sides()
	first, last := sides[0].Subject(), sides[len(sides)-1].Subject()
	if GroupOf(first.Product, groups) == GroupOf(last.Product, groups) {
		sides = []index.Change{c} // the group's checkpoint passes over both at once
	}
	for _, side := range sides {
		to(GroupOf(side.Subject().Product, groups), side)
	}
	return nil
}

// watch deals a record that is not about a comment to the group of the product that it
// concerns.
func (p *Projector) watch(r index.Record, groups int, to func(group int, c index.Change)) error {
	for _, x := range p.indexes {
		w, ok := x.(index.Watcher)
		if !ok || !slices.ContainsFunc(w.Watches(), func(k index.Keys) bool { return k.Has(r) }) {
			continue
		}
		product, ok, err := w.Watch(r)
		if err != nil {
			return err
		}
		if ok {
			to(GroupOf(product, groups), index.Change{Sequence: r.Sequence, Created: r.Created, Other: &r})
			return nil
		}
	}
	return nil
}
