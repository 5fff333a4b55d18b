package tree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"product-comments/store/comment/stats"
)

// Node is a node of a tree.
type Node struct {
	Level int    // 0 is a leaf
	Begin string // beginning: a sort key, or a prefix of one; empty for the first node
	Rows  []Row  // comments of a leaf, in order

	Counts stats.ByLanguage // counts of any other node
	Kids   int              // number of nodes below it, on the next lower level
}

// Sum returns the counts of the node's comments.
func (n *Node) Sum() stats.ByLanguage {
	if n.Level == 0 {
		return countOf(n.Rows)
	}
	return n.Counts
}

// IsEmpty reports whether the node has no comments.
func (n *Node) IsEmpty() bool { return len(n.Rows) == 0 && len(n.Counts) == 0 }

func compare(a, b *Node) int { return strings.Compare(a.Begin, b.Begin) }

// holder returns the node that holds a sort key, from nodes in order; nil if there is none.
func holder(nodes []*Node, sortKey string) *Node {
	i, found := slices.BinarySearchFunc(nodes, sortKey, func(n *Node, k string) int { return strings.Compare(n.Begin, k) })
	if found {
		return nodes[i]
	}
	if i == 0 {
		return nil
	}
	return nodes[i-1]
}

// between returns the shortest prefix of next that is greater than last.
func between(last, next string) string {
	n := 0
	for n < len(last) && n < len(next) && last[n] == next[n] {
		n++
	}
	for n++; n < len(next) && !utf8.RuneStart(next[n]); n++ {
	}
	return next[:min(n, len(next))]
}

// divide divides rows into a minimum of leaves. If the rows were appended, all leaves but the last
// are full; otherwise they have about the same size.
func (s Sizes) divide(rows []Row, appended bool) (parts [][]Row) {
	all := size(rows)
	if all <= s.Leaf {
		return [][]Row{rows}
	}
	target := s.Leaf
	if !appended {
		target = all/(all/s.Leaf+1) + 1
	}
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && size(rows[:n+1]) <= min(target, s.Leaf) {
			n++
		}
		parts, rows = append(parts, rows[:n:n]), rows[n:]
	}
	return parts
}

// Bytes encodes the content of a node: the rows of a leaf, or the level and counts of any other
// node. With the level, the result is never empty.
func (n *Node) Bytes() []byte {
	if n.Level == 0 {
		return AppendRows(nil, n.Rows)
	}
	return n.Counts.Append([]byte{byte(n.Level)})
}

// Parse decodes the result of Bytes into the node; ok is false for any other bytes.
func (n *Node) Parse(b []byte) (ok bool) {
	if n.Level == 0 {
		n.Rows, ok = ParseRows(b)
		return ok
	}
	if len(b) == 0 || int(b[0]) != n.Level {
		return false
	}
	n.Counts, ok = stats.ParseByLanguage(b[1:])
	return ok
}

// State is the state of a product's page numbers. The item of the product's statistics has it.
type State struct {
	// Kept is false for a product without page numbers. It gets them with the next rebuild, or when
	// all its comments are deleted.
	Kept   bool
	Rows   []Row // all comments, in order, of a product without a tree
	Height int   // number of levels of the tree; 0 if there is no tree
	Tops   int   // number of nodes of the highest level
	Mark   int   // random number of this version of the tree; 0 if there is no tree
}

// fits reports whether a State may list rows.
func (s Sizes) fits(rows []Row) bool { return size(rows) <= s.Listed }
