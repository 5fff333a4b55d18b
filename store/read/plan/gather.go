package plan

import (
	"cmp"
	"slices"
)

// gather reads a small set of candidates, and then the values of them that the filter and the
// order need: Sort.Next decides how. walk reads the list in its order, for at most units.
func gather(p *pool, walk Node, units, bound float64) candidate {
	tree := &Sort{Of: &Merge{}, Walk: walk, want: p.page, each: p.each, ordered: p.ordered, list: units}
	c := candidate{strategy: Gather, index: p.partitions[0].Partition.Index, root: tree, note: p.note}
	found := 0.0
	for i := range p.partitions {
		s := p.partitions[i].whole(p.only)
		s.Items = min(s.of.count, float64(p.page))
		tree.Of.Scans = append(tree.Of.Scans, s)
		found += s.of.count
		c.cost.Units += s.Units
	}
	c.cost.Queries, c.cost.RoundTrips = float64(len(p.partitions)), 1
	c.cost.Discarded = max(0, found-float64(p.page))
	for i := range p.joins {
		j := &p.joins[i]
		s := j.whole(j.only)
		s.Share, s.orders = j.joined, j.orders
		tree.Join = append(tree.Join, s)
	}
	slices.SortStableFunc(tree.Join, func(a, b *Scan) int { return cmp.Compare(a.Units, b.Units) })
	at := tree.Begun(0, c.cost.Units, bound)
	at.Found = found * p.share
	if step := tree.Next(at); step.Do != SortAll {
		c.cost.Units += step.Units
		c.cost.Queries++
		c.cost.RoundTrips++
	}
	return c
}

// guarded returns a way to read the list in its order that changes to sorting all candidates
// beyond a part of the bound, if it may find too little and the bound allows that.
func guarded(walk candidate, sorted *candidate, bound float64) candidate {
	if walk.not != "" || !guesses(walk.root) {
		return walk
	}
	switch left := bound - sorted.cost.Units/Fill; {
	case left >= walk.cost.Units:
		walk.root = &Within{Bound: min(left, max(risk*walk.cost.Units, sorted.cost.Units)), First: walk.root,
			Then: sorted.root, cost: sorted.cost}
	case sorted.cost.Units <= bound:
		walk.not = "if it found too little, too few read units would remain"
	}
	return walk
}

// guesses reports whether an operator leaves comments out, so that its cost is a guess.
func guesses(n Node) bool {
	return anyScan(n, func(use Use, s *Scan) bool { return !use.Fallback && !s.Only.Any() })
}

// whole returns the scan of all comments of a partition.
func (p *partition) whole(only Only) *Scan {
	limit := int(1.1*p.count) + 1 // everything in one query, as far as DynamoDB's page limit allows
	return &Scan{Span: p.Span, Only: only, Share: 1, Overlay: true, of: *p, Limit: limit,
		Each: p.item / bytesPerUnit, Units: units(p.count * p.item)}
}

// InBlock returns how many items a query for LeastUnits should read.
func (s *Scan) InBlock() int { return max(1, int(Fill*LeastUnits/s.Each)) }

// lookingUp estimates the cost of looking up comments in an attribute index: each query reads
// one block, from the first comment on that no earlier query reached.
func (s *Scan) lookingUp(comments float64) float64 {
	reached := comments * float64(s.InBlock()) * s.Each / s.Units // comments per query after its first
	return comments / (1 + reached) * LeastUnits
}

// Gathered is the state of gathering candidates.
type Gathered struct {
	Found   float64 // candidates
	Units   float64 // units spent
	Indexes []*Scan // attribute indexes of the plan that were not read
	Ordered bool    // the positions of the candidates are known
	Bound   float64 // the limit of units
}

// Begun returns the state after the scans of the Sort were read.
func (s *Sort) Begun(found int, units, bound float64) Gathered {
	return Gathered{float64(found), units, s.Join, s.ordered, bound}
}

// After returns the state after another attribute index was read.
func (at Gathered) After(index int, found, units float64) Gathered {
	at.Found, at.Units, at.Ordered = found, units, at.Ordered || at.Indexes[index].orders
	at.Indexes = slices.Delete(slices.Clone(at.Indexes), index, index+1)
	return at
}

// Checked reports whether the candidates were checked against all conditions of the filter.
func (at Gathered) Checked() bool {
	return !slices.ContainsFunc(at.Indexes, func(c *Scan) bool { return c.Only.Attributes })
}

// Step is the next action on gathered candidates.
type Step struct {
	Do    Deed
	Index int     // of the attribute index in Gathered.Indexes to read or to look up candidates in
	Units float64 // estimated cost of this step and all later ones
}

// Deed is the kind of a step.
type Deed uint8

const (
	SortAll   Deed = iota // sort: all that the page needs is known
	ReadIndex             // read an attribute index
	LookUp                // look up the candidates in an attribute index one by one
	ReadWhole             // read whole comments: all, or in the list's order until the page is full
	WalkAmong             // read the list in its order until the page is full of candidates
)

// Next returns the step with the least estimated total cost. Among the attribute indexes of
// conditions the smallest is read first; the one of the order comes before or after them.
func (s *Sort) Next(at Gathered) Step {
	if at.Ordered && len(at.Indexes) == 0 {
		return Step{}
	}
	step := s.without(at)
	smallest := true
	for i, c := range at.Indexes {
		if !c.orders && !smallest {
			continue
		}
		smallest = smallest && c.orders
		do, units := s.join(c, at)
		if at.Units+units > at.Bound {
			continue
		}
		rest := s.Next(at.After(i, at.Found*c.Share, at.Units+units))
		if units+rest.Units < step.Units {
			step = Step{do, i, units + rest.Units}
		}
	}
	return step
}

// join returns whether to read an attribute index or to look up candidates in it, and the estimated cost.
func (s *Sort) join(c *Scan, at Gathered) (do Deed, units float64) {
	if c.Prefix == "" {
		return ReadIndex, c.Units
	}
	units = c.lookingUp(at.Found)
	if units < c.Units || at.Units+c.Units > at.Bound {
		return LookUp, units
	}
	return ReadIndex, c.Units
}

// without returns the cheapest step that reads no further attribute index.
func (s *Sort) without(at Gathered) Step {
	passes := 1.0 // share of candidates that pass in the indexes not read yet
	for i := range at.Indexes {
		passes *= at.Indexes[i].Share
	}
	left, want, all := at.Bound-at.Units, float64(s.want), at.Found*s.each
	some := min(all, want/passes*s.each)
	if at.Ordered {
		if all > left {
			some *= risk
		}
		return Step{Do: ReadWhole, Units: some}
	}
	walk := s.list * min(1, want/max(at.Found*passes, 1))
	if !at.Checked() {
		walk += some
	}
	switch {
	case all > left:
		return Step{Do: WalkAmong, Units: risk * walk}
	case all <= risk*walk || all+risk*walk > left:
		return Step{Do: ReadWhole, Units: all}
	}
	return Step{Do: WalkAmong, Units: walk}
}

// margin is the factor by which queries of a walk may exceed what they were expected to read.
const margin = 1.2

// WalkFor returns how many read units a walk for the found candidates may spend, after units
// were spent, and whether enough units remain to read the candidates whole if the walk finds
// too few.
func (s *Sort) WalkFor(found, units, bound float64) (may float64, whole bool) {
	may = bound - units
	if cost := margin * found * s.each; cost < may {
		return may - cost, true
	}
	return may, false
}
