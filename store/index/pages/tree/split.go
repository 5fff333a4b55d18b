package tree

import (
	"context"
	"fmt"
	"slices"

	"product-comments/store/comment/stats"
)

// splitLeaves splits leaves that exceed their bound.
func (c *changing) splitLeaves(added []Row) {
	var newest Row
	if len(added) > 0 {
		newest = slices.MaxFunc(added, Row.Compare)
	}
	for _, n := range c.sorted(0) {
		if len(n.Rows) == 0 {
			continue
		}
		parts := divide(n.Rows, size, c.Node, len(added) > 0 && n.Rows[len(n.Rows)-1].Same(newest))
		before := n
		n.Rows = parts[0]
		for _, part := range parts[1:] {
			leaf := &Node{Begin: between(before.last(), part[0].At.SortKey()), Rows: part}
			c.put(leaf)
			before = leaf
		}
		if len(parts) > 1 {
			c.addKids(n, len(parts)-1)
		}
	}
}

// splitNodes splits entries of a level with too many nodes below them, and nodes that exceed their
// bound, but the root.
func (c *changing) splitNodes(ctx context.Context, level int) error {
	for _, n := range c.sorted(level) {
		var all []*Entry
		appended := false // the last entry was split
		for i, e := range n.Entries {
			if appended = e.Kids > c.Below; !appended {
				all = append(all, e)
				continue
			}
			below, err := c.below(ctx, n, i)
			if err != nil {
				return err
			}
			if len(below) != e.Kids {
				return fmt.Errorf("the page numbers have %d nodes below an entry that counts %d: %w", len(below), e.Kids, stats.ErrNegative)
			}
			all = append(all, c.group(below)...)
		}
		if n.Entries = all; level == c.state.Height {
			continue
		}
		if extra := c.divide(n, appended); extra > 0 {
			c.addKids(n, extra)
		}
	}
	return nil
}

// below returns the nodes below an entry of a node, including changes.
func (c *changing) below(ctx context.Context, n *Node, i int) ([]*Node, error) {
	until, err := "", error(nil)
	if i+1 < len(n.Entries) {
		until = n.Entries[i+1].Begin
	} else if n.Level < c.state.Height {
		if until, err = c.after(ctx, n.Level, n.Begin); err != nil {
			return nil, err
		}
	}
	return c.between(ctx, n.Level-1, n.Entries[i].Begin, until)
}

// sizeOf returns the number of bytes of encoded entries; 0 for two of which the first has no
// comments, so that it never is the only one of a node.
func sizeOf(all []*Entry) int {
	if len(all) == 2 && len(all[0].Counts) == 0 {
		return 0
	}
	return len(appendEntries(nil, all))
}

// divide moves entries that exceed the bound of a node into nodes after it, and returns the number of
// these.
func (c *changing) divide(n *Node, appended bool) (extra int) {
	parts := divide(n.Entries, sizeOf, c.Node, appended)
	n.Entries = parts[0]
	for _, part := range parts[1:] {
		c.put(&Node{Level: n.Level, Begin: part[0].Begin, Entries: part})
	}
	return len(parts) - 1
}

// after returns the beginning of the next node of a level, including changes; empty after the last
// node.
func (c *changing) after(ctx context.Context, level int, begin string) (next string, err error) {
	for next = begin; ; {
		if next, err = c.nodes.After(ctx, level, next); err != nil {
			return "", err
		}
		if !c.gone[at{level, next}] {
			break
		}
	}
	i, _ := c.find(level, begin)
	if known := c.levels[level]; i+1 < len(known) && (next == "" || known[i+1].Begin < next) {
		next = known[i+1].Begin
	}
	return next, nil
}

// between returns the nodes of a level that begin at from or later and before until, including
// changes.
func (c *changing) between(ctx context.Context, level int, from, until string) (all []*Node, err error) {
	stored, err := c.nodes.Between(ctx, level, from, until, 0)
	if err != nil {
		return nil, err
	}
	for _, n := range stored {
		if !c.gone[at{level, n.Begin}] {
			c.add(n)
		}
	}
	for _, n := range c.levels[level] {
		if n.Begin >= from && (until == "" || n.Begin < until) {
			all = append(all, n)
		}
	}
	return all, nil
}

// group returns entries for nodes. If the last of these is new, as when comments arrive in the order
// of creation, all entries but the last are full.
func (c *changing) group(below []*Node) (above []*Entry) {
	room := c.Below
	if last := below[len(below)-1]; !c.dirty[last] {
		parts := (len(below) + room - 1) / room
		room = (len(below) + parts - 1) / parts
	}
	for some := range slices.Chunk(below, room) {
		e := &Entry{Begin: some[0].Begin, Counts: stats.ByLanguage{}, Kids: len(some)}
		for _, one := range some {
			e.Counts.AddAll(one.Sum())
		}
		above = append(above, e)
	}
	return above
}

// grow adds levels until the root does not exceed its bound.
func (c *changing) grow() {
	for level := c.state.Height; ; level++ {
		if level > 0 {
			root := c.levels[level][0]
			if len(root.Entries) == 1 || sizeOf(root.Entries) <= c.Root {
				return
			}
			c.put(root)
			c.divide(root, false)
		}
		c.levels = append(c.levels, []*Node{{Level: level + 1, Entries: c.group(c.levels[level])}})
		c.state.Height = level + 1
	}
}
