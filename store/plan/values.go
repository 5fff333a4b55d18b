package plan

import (
	"fmt"
	"math"

	"product-comments/store/key"
)

// Small is the largest number of a product's comments for which every order is possible with
// every filter.
const Small = 10_000

// Bounds of pages of lists by column, or with conditions on attributes, in read units.
const (
	boundOfPage = 32  // limit of the estimate for 20 comments of a larger product
	mostPages   = 5   // limit of longer pages in pages of 20
	boundOfAny  = 128 // limit of the actual cost of a page
)

// bounds returns the limit of a page's estimated cost, and the limit of its actual cost, at
// which reading stops.
func (q *Query) bounds() (should, may float64) {
	if n := q.All.Tally.Total(); n > 0 && n <= Small {
		return boundOfAny, boundOfAny
	}
	should = boundOfPage * min(max(1, float64(q.Limit)/20), mostPages)
	return should, math.Max(should, boundOfAny)
}

// byValues chooses the plan of a list by column, or with conditions on attributes: a walk
// through the list in its order that leaves out what is not wanted, or gathering and sorting
// all candidates. A walk that finds too little changes to gathering.
func (q *Query) byValues(left []part) Plan {
	should, may := q.bounds()
	walk := q.walk(left, nil)
	candidates := []Plan{walk}
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.Equals != nil && !q.Order.ByColumn() {
			candidates = append(candidates, q.walk(left, c))
		}
	}
	if walk.guesses() && !q.Column.Part {
		candidates = append(candidates, q.gathers(left, &walk, may)...)
	}
	best, surest := -1, -1
	for i := range candidates {
		c := &candidates[i]
		c.Part = q.Column.Part
		if c.Bound, c.Conditions, c.Languages = may, q.Conditions, q.Languages; !q.affords(c, should) {
			continue
		}
		if best < 0 || cheaper(c.Estimate, candidates[best].Estimate) {
			best = i
		}
		if c.Strategy == Gather && (surest < 0 || cheaper(c.Estimate, candidates[surest].Estimate)) {
			surest = i
		}
	}
	p := Plan{Strategy: Refused, Index: walk.Index, Limit: q.Limit, Reason: inTurn(q.describe(), q.Order),
		Conditions: q.Conditions}
	if best >= 0 {
		p = candidates[best]
	}
	if surest >= 0 && p.guesses() {
		g := candidates[surest]
		left := may - g.Estimate.Units/Fill // remains if the walk finds too little
		switch {
		case left >= p.Estimate.Units:
			p.Root = &Within{Bound: min(left, max(risk*p.Estimate.Units, g.Estimate.Units)), First: p.Root, Then: &g}
		case g.Estimate.Units <= may:
			best, p = surest, g
		}
	}
	for i := range candidates {
		if c := &candidates[i]; i != best {
			lost := fmt.Sprintf("a page may cost %.0f read units", should)
			if q.affords(c, should) {
				lost = why(c.Estimate, p.Estimate)
			}
			p.Rejected = append(p.Rejected, Alternative{c.Strategy, c.Index, c.Estimate, lost})
		}
	}
	return p
}

// affords reports whether a plan may be tried: its estimate is within the limit, or the product
// is small, or its size is unknown.
func (q *Query) affords(p *Plan, should float64) bool {
	return q.All.Tally.Total() <= Small || p.Estimate.Units <= should
}

// guesses reports whether a plan walks through comments and leaves some out, so that its cost
// is a guess.
func (p *Plan) guesses() bool {
	for use, s := range p.Scans() {
		if p.Strategy != Gather && !use.Fallback && !s.Only.Any() {
			return true
		}
	}
	return false
}

// walk reads the list in its order, through all comments or only through comments with the
// values of a condition. Conditions on attributes that lists do not show are checked in whole
// comments.
func (q *Query) walk(left []part, through *Condition) (p Plan) {
	of, others := *q, q.Conditions
	if through != nil {
		others, _ = q.others(through.Attribute)
	} else if q.Order.ByColumn() {
		others, _ = q.others(q.Order.Column())
	}
	hidden := hiddenOf(others)
	of.readColumn, of.checked, of.PowerSet = through, len(hidden) > 0, false
	if len(others) > 0 {
		of.share = q.shareOf(others)
	}
	switch q.Order.Field {
	case ByTime:
		p = of.choose()
		p.Rejected = nil
	case ByRating:
		p = of.inTurn(of.toRead(of.byRating()))
	default:
		p = of.inTurn(of.toRead(of.byColumn(left)))
	}
	for _, s := range p.Scans() {
		if s.part.item > 0 {
			p.list += atMost(s.part.count, s.part.item)
		}
	}
	p.Estimate.Units = min(p.Estimate.Units, p.list)
	if len(hidden) > 0 {
		p.Estimate.Units += min(float64(p.Want())/q.shareOf(hidden), q.totalComments()) * q.wholeComment()
		p.Estimate.Queries++
		p.Estimate.RoundTrips++
		p.Reason += ", whole comments checked"
	}
	return p
}

// hiddenOf returns the conditions on attributes that lists do not show.
func hiddenOf(conditions []Condition) (hidden []Condition) {
	for _, c := range conditions {
		if !c.Shown {
			hidden = append(hidden, c)
		}
	}
	return hidden
}

// atMost bounds the cost of reading so many items of a mean size: each query may end within a
// block.
func atMost(count, item float64) float64 { return 1 + 1.05*count*item/bytesPerUnit }

// wholeComment estimates the cost of reading a whole comment.
func (q *Query) wholeComment() float64 {
	s := sizesOf(q.All, key.PartitionAll(q.ProductID))
	return units(s.mean(key.AllRatings))
}

// ofValues returns the partitions of a column with the values of a condition, one for each
// value, in which comments are in the order of time.
func (q *Query) ofValues() (parts []part) {
	of := *q
	of.readColumn = nil
	c, share := q.readColumn, q.chosen(of.parts())
	column := key.ColumnValues(q.ProductID, c.Attribute)
	for _, value := range c.Equals {
		parts = append(parts, q.columnPart(key.OfValue(column, string(value)).Within(q.Created),
			c.count(q.totalComments())/float64(len(c.Equals)), share))
	}
	return parts
}
