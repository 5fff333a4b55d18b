package plan

import (
	"fmt"
	"iter"

	"product-comments/store/key"
)

// Node is an operator of a plan: it gives items in the order of the list, which it takes
// from the operators below it, and Scans from the table.
//
//	Scan    one query after the other of a span, with a filter expression
//	Merge   scans by their sort keys
//	Either  a scan of more than is wanted; the merge, from there on, if it finds too little
//	Concat  segments of the list, one after the other
//	Sort    all items of some scans, in memory, joined with what other scans tell of them
//	Within  what may cost so much, and the operator to change to where it costs more
//
// Scans of projected lists have an overlay: what this process wrote a moment ago.
type Node interface {
	// below returns the operators that the node takes items from, with what each is for.
	below() []child
	// spell says what the operator does, and perhaps what that did cost.
	spell(did bool) string
}

// Scan reads a span.
type Scan struct {
	key.Span
	Only    Only    // what of it is wanted
	Share   float64 // of its items that should be wanted
	Limit   int     // items of the first query, those that are filtered out included
	Items   float64 // how many of them should be shown
	Each    float64 // what reading one of them should cost, in read capacity units
	Units   float64 // what it should cost, in read capacity units
	Overlay bool    // pending writes are put in
	Actual  Spent   // what it did cost

	of          part
	ordersItems bool // of a Sort: the column tells the order
}

// Merge gives the items of scans in the order of their sort keys.
type Merge struct{ Scans []*Scan }

// Either reads a partition of more comments than are wanted, and changes to a merge of those
// that are wanted alone; see ReadOn.
type Either struct {
	First *Scan
	Then  *Merge

	whole   whole
	want    int // items that the page needs
	allowed int // blocks that may be wasted
	price   float64
}

// Concat gives the items of segments, one segment after the other.
type Concat struct{ Segments []*Segment }

// Sort gathers all that may be wanted of some scans, and sorts it; see Next.
type Sort struct {
	Of   *Merge
	Join []*Scan // columns that may be read after Of
	Walk *Plan   // reads the list in its order

	want    int     // items that the page needs
	each    float64 // read units of a whole comment
	ordered bool    // Of tells the order
	price   float64 // of a query
}

// Within gives the items of First, or those of Then if First costs more than Bound read units.
type Within struct {
	Bound float64
	First Node
	Then  *Plan
}

// child is an operator below another one, and what it is for.
type child struct {
	what string
	Node
}

func (*Scan) below() []child    { return nil }
func (m *Merge) below() []child { return children("", m.Scans) }

func (e *Either) below() []child {
	return []child{{"", e.First}, {"or, if it finds too little", e.Then}}
}

func (c *Concat) below() (all []child) {
	for _, s := range c.Segments {
		all = append(all, child{s.What, s.Plan.Root})
	}
	return all
}

func (s *Sort) below() []child {
	all := append([]child{{"", s.Of}}, children("perhaps", s.Join)...)
	if s.Walk.began() {
		all = append(all, child{"then in the list's order", s.Walk.Root})
	}
	return all
}

func (w *Within) below() []child {
	then := w.Then.Root
	if s, ok := then.(*Sort); ok && s.Walk.Root == w.First { // which is drawn once
		of := *s
		of.Walk, then = nil, &of
	}
	return append(w.First.below(), child{fmt.Sprintf("or beyond %.1f read units (%s)", w.Bound, w.Then.Estimate), then})
}

func children(what string, scans []*Scan) (all []child) {
	for _, s := range scans {
		all = append(all, child{what, s})
	}
	return all
}

// Use is what a scan is in a plan for.
type Use struct {
	Segment  *string // of the list that it is of; nil for other lists
	Fallback bool    // it is read if another one found too little
}

// Scans returns the scans of the plan's own way, each with its use: not those that a page may
// change to beyond its bound, or read after it has gathered others.
func (p *Plan) Scans() iter.Seq2[Use, *Scan] {
	return func(yield func(Use, *Scan) bool) { eachScan(p.Root, Use{}, yield) }
}

// Changed reports whether a scan was read because another one had found too little.
func (p *Plan) Changed() bool {
	for use, s := range p.Scans() {
		if use.Fallback && s.Actual.Queries > 0 {
			return true
		}
	}
	return false
}

// began reports whether a scan of the plan was read.
func (p *Plan) began() bool {
	if p == nil {
		return false
	}
	for _, s := range p.Scans() {
		if s.Actual.Queries > 0 {
			return true
		}
	}
	return false
}

func eachScan(n Node, use Use, yield func(Use, *Scan) bool) bool {
	var list []*Scan
	switch n := n.(type) {
	case *Within:
		return eachScan(n.First, use, yield)
	case *Concat:
		for _, s := range n.Segments {
			if use.Segment = &s.What; !eachScan(s.Plan.Root, use, yield) {
				return false
			}
		}
	case *Either:
		if !yield(use, n.First) {
			return false
		}
		use.Fallback = true
		return eachScan(n.Then, use, yield)
	case *Merge:
		list = n.Scans
	case *Sort:
		list = n.Of.Scans
	}
	for _, s := range list {
		if !yield(use, s) {
			return false
		}
	}
	return true
}
