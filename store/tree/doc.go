// Package tree is the arithmetic of page numbers: a counted B-tree over the comments of a
// product in the order of their creation.
//
//	level 2   ┌────────── counts of all below ─────────┐ ┌───────── …
//	level 1   ┌── counts ──┐ ┌── counts ──┐ ┌── counts ─┐ ┌── counts …
//	level 0   rows rows rows rows rows rows rows rows rows rows rows …
//
// A leaf lists its comments, and so says by itself how many of each kind it has; any other
// node has the counts of those below it. The nodes of a level are divided by where they
// begin, so those below a node are found by their keys: they begin where it begins, or
// later, and before the next node of its level does. There are no pointers to follow, and a
// split writes the two nodes and their parent alone.
//
// What a product's State says is how many levels there are. A product with few comments has
// no tree: its State lists them.
//
// # Rules
//
// What a node has below it begins where the node does. A node without comments does not
// exist, unless it begins where its parent does: its comments to come are its left
// neighbour's. So a level has no more nodes than comments, and what has no comments has no
// items. Nodes do not merge otherwise; a rebuild makes a tree again.
//
// Package pages has the items; this one does no I/O.
package tree

// Sizes bound nodes: one that exceeds them splits.
type Sizes struct {
	Listed int // bytes of rows that a State lists at most
	Leaf   int // bytes of rows of a leaf at most
	Leaves int // leaves below a node at most
	Nodes  int // other nodes below one at most; the highest level has so many, too
}

// Usual are sizes by which an item takes the write units of 1 KB, the nodes below another one
// are read at once, and 10,000 comments have two levels in whatever order they came.
var Usual = Sizes{Listed: 400, Leaf: 860, Leaves: 18, Nodes: 48}

// most returns how many nodes of a level there are below one node at most, or in all.
func (s Sizes) most(level int) int {
	if level == 0 {
		return s.Leaves
	}
	return s.Nodes
}
