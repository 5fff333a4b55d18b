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
// later, and before the next node of its level does. Nobody has to follow pointers, and a
// split writes no other node than the two.
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

// The sizes that make nodes split. store/pages/doc.go says what follows from them.
const (
	// MaxListed is how many bytes of rows a State lists at most.
	MaxListed = 400
	// MaxLeaf is how many bytes of rows a leaf has at most.
	MaxLeaf = 640
	// MaxLeaves is how many leaves a node has below it at most, MaxNodes how many other
	// nodes; the highest level has so many, too.
	MaxLeaves = 16
	MaxNodes  = 40
)

// most returns how many nodes of a level there are below one node at most, or in all.
func most(level int) int {
	if level == 0 {
		return MaxLeaves
	}
	return MaxNodes
}
