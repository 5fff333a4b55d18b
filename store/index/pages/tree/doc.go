// Package tree is the arithmetic of page numbers: a counted B-tree of the comments of a product in
// the order of creation.
//
//	root      ┌ counts of some nodes below ─ counts of the next ones ─ counts ┐
//	level 1   ┌ counts ─ counts ─ counts ┐ ┌ counts ─ counts ┐ ┌ counts ─ counts ┐
//	level 0   rows rows rows rows rows rows rows rows rows rows rows rows …
//
// A leaf lists its comments. Any other node has entries, each with the sum of the counts of some
// nodes below it. Nodes and entries have a beginning, a sort key. The nodes below an entry begin at
// its beginning or later, and before the beginning of the next entry of its level. So a range of
// keys finds them without pointers, and a split writes only the two nodes and their parent.
//
// The State of a product has the root. A product with few comments has no tree: its State lists
// them.
//
// # Rules
//
// The first entry of a node has the same beginning as the node, and so has the first node below an
// entry. A node or entry without comments is removed, unless it is the first one below its parent;
// its left neighbour then holds its range.
// So a level has at most as many nodes as comments, and a product without comments has no nodes.
// Nodes do not merge otherwise. A rebuild writes a new tree.
//
// Package pages reads and writes the items of nodes. This package does no I/O.
package tree

// Sizes bounds nodes: a node that exceeds its bound splits.
type Sizes struct {
	Listed int // maximum bytes of rows in a State
	Node   int // maximum bytes of rows or entries in a node
	Below  int // maximum number of nodes below an entry, at least 2
	Root   int // maximum bytes of several entries of the root
}

// Usual is the default: an item has at most 1 KB, and a query reads the nodes below an entry for half
// a unit. The root costs about as much to write as another level, but is read with the statistics.
var Usual = Sizes{Listed: 400, Node: 860, Below: 4, Root: 2000}
