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
		parts := c.divide(n.Rows, len(added) > 0 && n.Rows[len(n.Rows)-1].Same(newest))
		parent, before := c.parent(n), n
		n.Rows = parts[0]
		for _, part := range parts[1:] {
			leaf := &Node{Begin: between(before.last(), part[0].At.SortKey()), Rows: part}
			c.put(leaf)
			before = leaf
		}
		if len(parts) > 1 {
			c.addKids(parent, len(parts)-1)
		}
	}
}

// splitNodes splits nodes of a level with too many nodes below them.
func (c *changing) splitNodes(ctx context.Context, level int) error {
	for _, n := range c.sorted(level) {
		if n.Kids <= c.most(level-1) {
			continue
		}
		until, err := c.after(ctx, level, n.Begin)
		if err != nil {
			return err
		}
		below, err := c.between(ctx, level-1, n.Begin, until)
		if err != nil {
			return err
		}
		if len(below) != n.Kids {
			return fmt.Errorf("the page numbers have %d nodes below a node that counts %d: %w", len(below), n.Kids, stats.ErrNegative)
		}
		parts := c.group(below, level)
		parent := c.parent(n)
		n.Counts, n.Kids = parts[0].Counts, parts[0].Kids
		for _, part := range parts[1:] {
			c.put(part)
		}
		c.addKids(parent, len(parts)-1)
	}
	return nil
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
	stored, err := c.nodes.Between(ctx, level, from, until)
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

// group returns the nodes of a level above the given nodes. If the last of these is new, as when
// comments arrive in the order of creation, all nodes but the last are full.
func (c *changing) group(below []*Node, level int) (above []*Node) {
	room := c.most(level - 1)
	if last := below[len(below)-1]; !c.dirty[last] || len(below) <= room {
		parts := max(2, (len(below)+room-1)/room)
		room = (len(below) + parts - 1) / parts
	}
	for some := range slices.Chunk(below, room) {
		n := &Node{Level: level, Begin: some[0].Begin, Counts: stats.ByLanguage{}, Kids: len(some)}
		for _, one := range some {
			n.Counts.AddAll(one.Sum())
		}
		above = append(above, n)
	}
	return above
}

// grow adds levels while the highest level has too many nodes.
func (c *changing) grow(ctx context.Context) error {
	for c.state.Tops > c.most(c.state.Height-1) {
		tops, err := c.between(ctx, c.state.Height-1, "", "")
		if err != nil {
			return err
		}
		if len(tops) != c.state.Tops {
			return fmt.Errorf("the highest level of the page numbers has %d nodes, not %d: %w", len(tops), c.state.Tops, stats.ErrNegative)
		}
		above := c.group(tops, c.state.Height)
		c.levels = append(c.levels, nil)
		for _, n := range above {
			c.put(n)
		}
		c.state.Height, c.state.Tops = c.state.Height+1, len(above)
	}
	return nil
}
