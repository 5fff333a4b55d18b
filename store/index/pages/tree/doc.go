// Package tree is the arithmetic of page numbers: a counted B-tree of the comments of a product in
// the order of creation.
//
//	level 2   ┌────────── counts of all below ─────────┐ ┌───────── …
//	level 1   ┌── counts ──┐ ┌── counts ──┐ ┌── counts ─┐ ┌── counts …
//	level 0   rows rows rows rows rows rows rows rows rows rows rows …
//
// A leaf lists its comments. Any other node has the sum of the counts of the nodes below it. Every
// node has a beginning, a sort key. The nodes below a node begin at its beginning or later, and
// before the beginning of the next node of its level. So a range of keys finds them without
// pointers, and a split writes only the two nodes and their parent.
//
// The State of a product has the number of levels. A product with few comments has no tree: its
// State lists them.
//
// # Rules
//
// The first node below a node has the same beginning as the node. A node without comments is
// removed, unless it has the same beginning as its parent; its left neighbour then holds its range.
// So a level has at most as many nodes as comments, and a product without comments has no nodes.
// Nodes do not merge otherwise. A rebuild writes a new tree.
//
// Package pages reads and writes the items of nodes. This package does no I/O.
package tree

// Sizes bounds nodes: a node that exceeds its bound splits.
type Sizes struct {
	Listed int // maximum bytes of rows in a State
	Leaf   int // maximum bytes of rows in a leaf
	Leaves int // maximum number of leaves below a node
	Nodes  int // maximum number of other nodes below a node, and on the highest level
}

// Usual is the default: an item has at most 1 KB, one query reads the nodes below a node, and a
// tree of 10,000 comments has two levels, in any order of insertion.
var Usual = Sizes{Listed: 400, Leaf: 860, Leaves: 18, Nodes: 48}

// most returns the maximum number of nodes of a level below one node, or on the whole level if it
// is the highest.
func (s Sizes) most(level int) int {
	if level == 0 {
		return s.Leaves
	}
	return s.Nodes
}
