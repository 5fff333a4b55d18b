package tree

import (
	"fmt"
	"maps"
	"slices"

	"product-comments/store/comment/stats"
)

// All returns the rows of a product, given the nodes of its tree.
func (s State) All(nodes []*Node) (rows []Row) {
	if s.Height == 0 {
		return s.Rows
	}
	for _, n := range levelOf(nodes, 0) {
		rows = append(rows, n.Rows...)
	}
	return rows
}

// levelOf returns the nodes of a level in order.
func levelOf(nodes []*Node, level int) (all []*Node) {
	for _, n := range nodes {
		if n.Level == level {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, compare)
	return all
}

// Wrong lists how the nodes of a product break the rules of a tree.
func (s State) Wrong(sizes Sizes, nodes []*Node) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, n := range nodes {
		if n.Level >= s.Height {
			say("there is a node %d/%s, but the tree has %d levels", n.Level, n.Begin, s.Height)
		}
	}
	if s.Height == 0 {
		if !sizes.fits(s.Rows) {
			say("the statistics list %d comments, which need a tree", len(s.Rows))
		}
		return wrong
	}
	root := &Node{Level: s.Height}
	if !root.Parse(s.Root) {
		return append(wrong, "the root is cut off")
	}
	nodes = append(slices.Clone(nodes), root)
	for level := range s.Height + 1 {
		all := levelOf(nodes, level)
		if len(all) == 0 || all[0].Begin != "" {
			say("level %d does not begin at the first comment", level)
		}
		parents := map[string]bool{"": true}
		for _, p := range levelOf(nodes, level+1) {
			for _, e := range p.Entries {
				parents[e.Begin] = true
			}
		}
		for i, n := range all {
			end := ""
			if i+1 < len(all) {
				end = all[i+1].Begin
			}
			if n.IsEmpty() && !parents[n.Begin] {
				say("the node %d/%s has no comments", level, n.Begin)
			}
			if level == 0 {
				wrong = append(wrong, n.wrongLeaf(sizes, end)...)
			} else {
				most := sizes.Node
				if n == root {
					most = sizes.Root
				}
				wrong = append(wrong, n.wrongCounts(sizes, most, end, levelOf(nodes, level-1))...)
			}
		}
	}
	return wrong
}

// wrongLeaf lists the errors of a leaf. end is the beginning of the next leaf.
func (n *Node) wrongLeaf(sizes Sizes, end string) (wrong []string) {
	for _, r := range n.Rows {
		if k := r.At.SortKey(); k < n.Begin || end != "" && k >= end {
			wrong = append(wrong, fmt.Sprintf("the leaf %s has the comment %s, which is before it or not before the next leaf %q", n.Begin, k, end))
		}
	}
	if len(n.Rows) > 1 && size(n.Rows) > sizes.Node {
		wrong = append(wrong, fmt.Sprintf("the leaf %s has %d comments, which exceed its size", n.Begin, len(n.Rows)))
	}
	return wrong
}

// wrongCounts lists the errors of a node that is no leaf, of at most so many bytes. end is the beginning
// of the next node.
func (n *Node) wrongCounts(sizes Sizes, most int, end string, below []*Node) (wrong []string) {
	if len(n.Entries) == 0 || n.Entries[0].Begin != n.Begin || len(n.Entries) > 1 && sizeOf(n.Entries) > most {
		wrong = append(wrong, fmt.Sprintf("the node %d/%s has %d entries, which exceed its size or begin later", n.Level, n.Begin, len(n.Entries)))
	}
	for i, e := range n.Entries {
		until, sum, kids, first := end, stats.ByLanguage{}, 0, ""
		if i+1 < len(n.Entries) {
			until = n.Entries[i+1].Begin
		}
		for _, b := range below {
			if b.Begin >= e.Begin && (until == "" || b.Begin < until) {
				if kids++; kids == 1 {
					first = b.Begin
				}
				sum.AddAll(b.Sum())
			}
		}
		if kids != e.Kids || kids > sizes.Below || kids == 0 || first != e.Begin || i > 0 && len(sum) == 0 {
			wrong = append(wrong, fmt.Sprintf("the node %d/%s has %d nodes below its entry from %q on, it says %d, and the maximum is %d", n.Level, e.Begin, kids, first, e.Kids, sizes.Below))
		}
		if !maps.Equal(sum, e.Counts) {
			wrong = append(wrong, fmt.Sprintf("the node %d/%s counts %v from %q on, the nodes below it have %v", n.Level, n.Begin, e.Counts, e.Begin, sum))
		}
	}
	return wrong
}
