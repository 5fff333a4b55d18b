package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"product-comments/store/comment/stats"
	"product-comments/store/errs"
)

// Nodes reads the stored nodes of a product's tree.
type Nodes interface {
	// Holding returns the nodes that hold the given sort keys, on all levels below height. The sort
	// keys are in order. The result may have a node more than once.
	Holding(ctx context.Context, height int, sortKeys []string) ([]*Node, error)
	// Between returns the nodes of a level that begin at from or later, and before until if
	// that is not empty; the first ones if most is not 0.
	Between(ctx context.Context, level int, from, until string, most int) ([]*Node, error)
	// After returns the beginning of the next node of a level after the one at begin; empty if that
	// is the last node.
	After(ctx context.Context, level int, begin string) (string, error)
}

// Written is a changed tree: its new State, the nodes to write and the nodes to remove.
type Written struct {
	State State
	Put   []*Node
	Gone  []Node // with level and beginning alone
}

// Changes has the rows that are removed from and added to a product.
type Changes struct {
	Taken, Added []Row
	Empty        bool // the product has no comments after the changes
}

// Change returns the tree of a State after changes. It returns stats.ErrNegative if a removed row
// does not exist or an added row does, and the errors of nodes.
func (s State) Change(ctx context.Context, sizes Sizes, nodes Nodes, of Changes) (Written, error) {
	if s.Height == 0 {
		rows, err := changed(s.Rows, of.Taken, of.Added)
		if err != nil || sizes.fits(rows) {
			return Written{State: State{Kept: true, Rows: rows}}, err
		}
		c := newChanging(sizes, nodes, State{Kept: true})
		for i, part := range divide(rows, size, sizes.Node, true) {
			leaf := &Node{Rows: part}
			if i > 0 {
				leaf.Begin = between(c.levels[0][i-1].last(), part[0].At.SortKey())
			}
			c.put(leaf)
		}
		c.grow()
		return c.written(), nil
	}
	c, root := newChanging(sizes, nodes, s), &Node{Level: s.Height}
	if !root.Parse(s.Root) {
		return Written{}, errs.Errorf(errs.Internal, "The root of the page numbers is cut off, rebuild the statistics")
	}
	c.add(root)
	if err := c.rows(ctx, of); err != nil {
		return Written{}, err
	}
	c.prune()
	if of.Empty {
		for level := range s.Height {
			c.remove(level, "")
		}
		c.state = State{Kept: true}
		return c.written(), nil
	}
	c.splitLeaves(of.Added)
	for level := 1; level <= s.Height; level++ {
		if err := c.splitNodes(ctx, level); err != nil {
			return Written{}, err
		}
	}
	c.grow()
	return c.written(), nil
}

func (n *Node) last() string { return n.Rows[len(n.Rows)-1].At.SortKey() }

// changed returns rows without the taken and with the added ones.
func changed(rows, taken, added []Row) ([]Row, error) {
	out := slices.Clone(rows)
	for _, r := range taken {
		i, found := slices.BinarySearchFunc(out, r, Row.Compare)
		if !found || !out[i].Same(r) {
			return nil, fmt.Errorf("the page numbers lack %q: %w", r.At.SortKey(), stats.ErrNegative)
		}
		out = slices.Delete(out, i, i+1)
	}
	for _, r := range added {
		i, found := slices.BinarySearchFunc(out, r, Row.Compare)
		if found {
			return nil, fmt.Errorf("the page numbers already have %q: %w", r.At.SortKey(), stats.ErrNegative)
		}
		out = slices.Insert(out, i, r)
	}
	return out, nil
}

// changing is a tree during a change, with the nodes that were read or written.
type changing struct {
	Sizes
	nodes  Nodes
	state  State
	levels [][]*Node // in order, with gaps
	dirty  map[*Node]bool
	gone   map[at]bool
}

// at names a node.
type at struct {
	level int
	begin string
}

func newChanging(sizes Sizes, nodes Nodes, s State) *changing {
	return &changing{Sizes: sizes, nodes: nodes, state: s, levels: make([][]*Node, s.Height+1), dirty: map[*Node]bool{}, gone: map[at]bool{}}
}

// find returns the index of a node, or the index at which to insert it.
func (c *changing) find(level int, begin string) (i int, found bool) {
	return slices.BinarySearchFunc(c.levels[level], &Node{Begin: begin}, compare)
}

// add adds a stored node unless the level has it already, and returns the node of the level.
func (c *changing) add(n *Node) *Node {
	i, found := c.find(n.Level, n.Begin)
	if !found {
		c.levels[n.Level] = slices.Insert(c.levels[n.Level], i, n)
	}
	return c.levels[n.Level][i]
}

// put adds a node to write.
func (c *changing) put(n *Node) {
	c.add(n)
	c.dirty[n] = true
}

// remove removes a node.
func (c *changing) remove(level int, begin string) {
	if i, found := c.find(level, begin); found {
		delete(c.dirty, c.levels[level][i])
		c.levels[level] = slices.Delete(c.levels[level], i, i+1)
	}
	c.gone[at{level, begin}] = true
}

// parent returns the node above one that is not the root, and its entry.
func (c *changing) parent(n *Node) (*Node, *Entry) {
	above := holder(c.levels[n.Level+1], n.Begin)
	return above, holder(above.Entries, n.Begin)
}

// addKids adds kids, which may be negative, to the number of nodes around one.
func (c *changing) addKids(n *Node, kids int) {
	above, entry := c.parent(n)
	entry.Kids += kids
	c.dirty[above] = true
}

// rows changes the rows of leaves, and the counts of all nodes above them.
func (c *changing) rows(ctx context.Context, of Changes) error {
	var sortKeys []string
	for _, r := range slices.Concat(of.Taken, of.Added) {
		sortKeys = append(sortKeys, r.At.SortKey())
	}
	slices.Sort(sortKeys)
	read, err := c.nodes.Holding(ctx, c.state.Height, slices.Compact(sortKeys))
	if err != nil {
		return err
	}
	for _, n := range read {
		c.add(n)
	}
	for level := range c.levels {
		in := map[*Node]*Changes{}
		sort := func(rows []Row, to func(*Changes) *[]Row) error {
			for _, r := range rows {
				n := holder(c.levels[level], r.At.SortKey())
				if n == nil {
					return fmt.Errorf("the page numbers have no node of level %d for %q: %w", level, r.At.SortKey(), stats.ErrNegative)
				}
				if in[n] == nil {
					in[n] = &Changes{}
				}
				*to(in[n]) = append(*to(in[n]), r)
			}
			return nil
		}
		err := errors.Join(
			sort(of.Taken, func(c *Changes) *[]Row { return &c.Taken }), sort(of.Added, func(c *Changes) *[]Row { return &c.Added }))
		if err != nil {
			return err
		}
		for n, of := range in {
			c.dirty[n] = true
			if err := n.change(*of); err != nil {
				return err
			}
		}
	}
	return nil
}

// change changes a node's rows, or counts.
func (n *Node) change(of Changes) (err error) {
	if n.Level == 0 {
		n.Rows, err = changed(n.Rows, of.Taken, of.Added)
		return err
	}
	add := func(rows []Row, by int) {
		for _, r := range rows {
			holder(n.Entries, r.At.SortKey()).Counts.Add(r.Language, r.Kind, by)
		}
	}
	add(of.Taken, -1)
	add(of.Added, 1)
	for _, e := range n.Entries {
		if e.Counts.Negative() {
			return fmt.Errorf("the page numbers have a count below zero from %q on: %w", e.Begin, stats.ErrNegative)
		}
	}
	return nil
}

// sorted returns the nodes of a level to write, in order.
func (c *changing) sorted(level int) (all []*Node) {
	for _, n := range c.levels[level] {
		if c.dirty[n] {
			all = append(all, n)
		}
	}
	return all
}

// prune removes nodes and entries without comments, unless they are the first ones below their
// parent. It handles lower levels first, so such a node has only one node left on each level below.
func (c *changing) prune() {
	for level := range c.levels {
		for _, n := range c.sorted(level) {
			n.Entries = slices.DeleteFunc(n.Entries, func(e *Entry) bool {
				gone := len(e.Counts) == 0 && e.Begin != n.Begin
				if gone {
					c.removeAll(level-1, e.Begin)
				}
				return gone
			})
			if level == c.state.Height || !n.IsEmpty() {
				continue
			}
			if _, entry := c.parent(n); n.Begin != entry.Begin {
				c.addKids(n, -1)
				c.removeAll(level, n.Begin)
			}
		}
	}
}

// removeAll removes the nodes with a beginning of a level and all below.
func (c *changing) removeAll(level int, begin string) {
	for below := range level + 1 {
		c.remove(below, begin)
	}
}

func (c *changing) written() (w Written) {
	w.State = c.state
	if c.state.Height > 0 {
		w.State.Root = c.levels[c.state.Height][0].Bytes()
	}
	for level := range c.state.Height {
		for _, n := range c.sorted(level) {
			w.Put = append(w.Put, n)
			delete(c.gone, at{level, n.Begin})
		}
	}
	for n := range c.gone {
		w.Gone = append(w.Gone, Node{Level: n.level, Begin: n.begin})
	}
	slices.SortFunc(w.Gone, func(a, b Node) int { return cmp.Or(a.Level-b.Level, compare(&a, &b)) })
	return w
}
