package plan

import (
	"cmp"
	"fmt"
	"iter"

	"product-comments/store/key"
)

// Node is an operator of a plan. It returns items in the order of the list, from the operators
// below it; a Scan reads them from the table.
//
//	Scan    consecutive queries of a span, with a filter expression
//	Merge   scans merged by sort key
//	Either  a scan of a larger partition; if it finds too little, a merge from there on
//	Concat  ranges of the list, in order
//	Sort    all items of some scans, sorted in memory and joined with other scans
//	Within  an operator with a cost limit, and the operator to change to beyond the limit
//
// Scans of projected lists have an overlay of this process's pending writes.
type Node interface {
	// below returns the node's children with their purposes.
	below() []child
	// spell describes the operator, and its actual cost if did is set.
	spell(did bool) string
}

// Scan reads a span.
type Scan struct {
	key.Span
	Only    Only    // the filter of the scan
	Share   float64 // estimated share of items that pass
	Limit   int     // items of the first query, before the filter
	Items   float64 // estimated number of items on the page
	Each    float64 // estimated read capacity units of an item
	Units   float64 // estimated read capacity units
	Most    float64 // read capacity units of the largest item; 0 if the bound may be estimated by Each
	Overlay bool    // pending writes are merged in
	Actual  Spent   // actual cost

	of     partition
	orders bool // in a Sort: the attribute index has the order of the list
}

// ProductID returns the product of all comments of the scan; empty for other items.
func (s *Scan) ProductID() string { return s.of.product }

// Merge merges scans by sort key.
type Merge struct{ Scans []*Scan }

// Either reads a partition with more comments than wanted, and may change to a merge of
// partitions with wanted comments only; see ReadOn.
type Either struct {
	First *Scan
	Then  *Merge

	superset superset
	want     int // items that the page needs
}

// Concat returns the items of the ranges of a list, in order.
type Concat struct{ Ranges []*Range }

// Sort gathers all candidates from some scans and sorts them; see Next.
type Sort struct {
	Of   *Merge
	Join []*Scan // attribute indexes that may be read after the scans of Of
	Walk Node    // reads the list in its order

	want    int     // items that the page needs
	each    float64 // read units of a whole comment
	ordered bool    // the scans of Of have the order of the list
	list    float64 // read units of the whole list, at most
}

// Within returns the items of First, or of Then if First costs more than Bound read units.
type Within struct {
	Bound float64
	First Node
	Then  Node

	cost Estimate // of Then
}

// child is an operator below another one.
type child struct {
	what string // its purpose
	Node
	Use
	later bool // a page may change to it beyond its bound, or read it after gathering candidates
}

// Use is the purpose of a scan in a plan.
type Use struct {
	Range    *string // the range that it reads; nil for lists of one
	Fallback bool    // the scan is read if another one finds too little
}

func (*Scan) below() []child    { return nil }
func (m *Merge) below() []child { return children("", m.Scans, false) }

func (e *Either) below() []child {
	return []child{{Node: e.First}, {what: "or, if it finds too little", Node: e.Then, Use: Use{Fallback: true}}}
}

func (c *Concat) below() (all []child) {
	for _, r := range c.Ranges {
		all = append(all, child{what: r.What, Node: r.Root, Use: Use{Range: &r.What}})
	}
	return all
}

func (s *Sort) below() []child {
	all := append([]child{{Node: s.Of}}, children("if needed", s.Join, true)...)
	if anyScan(s.Walk, func(_ Use, s *Scan) bool { return s.Actual.Queries > 0 }) {
		all = append(all, child{what: "then in the list's order", Node: s.Walk, later: true})
	}
	return all
}

func (w *Within) below() []child {
	then := w.Then
	if s, ok := then.(*Sort); ok && s.Walk == w.First { // it is drawn once
		of := *s
		of.Walk, then = nil, &of
	}
	return append(w.First.below(),
		child{what: fmt.Sprintf("or beyond %.1f read units (%s)", w.Bound, w.cost), Node: then, later: true})
}

func children(what string, scans []*Scan, later bool) []child {
	all := make([]child, len(scans))
	for i, s := range scans {
		all[i] = child{what: what, Node: s, later: later}
	}
	return all
}

// Scans returns the planned scans with their purposes, without the scans that a page may change
// to beyond its bound or read after gathering candidates.
func (p *Plan) Scans() iter.Seq2[Use, *Scan] { return scans(p.Root) }

// Changed reports whether a fallback scan was read.
func (p *Plan) Changed() bool {
	return anyScan(p.Root, func(use Use, s *Scan) bool { return use.Fallback && s.Actual.Queries > 0 })
}

// anyScan reports whether a planned scan satisfies a condition.
func anyScan(n Node, satisfies func(Use, *Scan) bool) bool {
	for use, s := range scans(n) {
		if satisfies(use, s) {
			return true
		}
	}
	return false
}

// scans returns the planned scans of an operator.
func scans(n Node) iter.Seq2[Use, *Scan] {
	return func(yield func(Use, *Scan) bool) { eachScan(n, Use{}, yield) }
}

func eachScan(n Node, use Use, yield func(Use, *Scan) bool) bool {
	if s, ok := n.(*Scan); ok || n == nil {
		return s == nil || yield(use, s)
	}
	for _, c := range n.below() {
		of := Use{cmp.Or(c.Range, use.Range), c.Fallback || use.Fallback}
		if !c.later && !eachScan(c.Node, of, yield) {
			return false
		}
	}
	return true
}
