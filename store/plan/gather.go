package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"product-comments/store/key"
)

// gathers returns the plans that read a small set of candidates: the comments with a value that
// a condition wants, or the comments with the filter's languages and ratings. Sort.Next decides
// how to check the candidates further. walk is the plan that reads the list in its order.
func (q *Query) gathers(left []part, walk *Plan, bound float64) (plans []Plan) {
	take := func(reads []*Scan, share float64, by, what string) {
		p := q.gather(reads, share, by, walk, bound)
		p.Reason += what
		plans = append(plans, p)
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		take(q.valueReads(c), q.chosen(left), c.Attribute,
			fmt.Sprintf(", those with such a %q sorted", c.Attribute))
	}
	if q.All.Tally.Total() > 0 {
		reads := make([]*Scan, len(left))
		for i, in := range left {
			reads[i] = gathering(in, Only{Which: q.Which(), Attributes: len(q.Conditions) > 0})
		}
		take(reads, 1, "", ", all of them sorted")
	}
	return plans
}

// gather reads all comments of some partitions, and then what else the filter needs of them.
// share is the share of these comments that pass the filter's languages, ratings and text. by
// is the attribute whose values the partitions contain.
func (q *Query) gather(reads []*Scan, share float64, by string, walk *Plan, bound float64) Plan {
	tree := &Sort{Of: &Merge{reads}, Walk: walk, want: q.Limit + 1, each: q.wholeComment()}
	p := Plan{
		Strategy: Gather, Index: reads[0].Partition.Index, Limit: q.Limit, Root: tree, Bound: bound,
		Reason: strings.TrimPrefix(q.describe()+", "+q.Order.String(), ", "),
	}
	found := 0.0
	for _, read := range reads {
		found += read.part.count
		read.Items = min(read.part.count, float64(p.Want()))
		p.Estimate.Units += read.Units
	}
	p.Estimate.Queries, p.Estimate.RoundTrips = float64(len(reads)), 1
	p.Estimate.Discarded = max(0, found-float64(p.Want()))
	of := q.Order.Column()
	tree.ordered = !q.Order.ByColumn() || q.Column.None || q.Column.Shown || of == by
	places := !tree.ordered && by != "" // indexes may be newer than columns, so a page must not mix the two orders
	others, _ := q.others(by)
	for _, c := range others {
		if c.Shown {
			share *= q.shareOf([]Condition{c})
			continue
		}
		read := q.columnRead(&c)
		read.Share = min(read.part.count/q.totalComments(), 1)
		if places && c.Attribute == of {
			read.ordersItems, places = true, false
		}
		tree.Join = append(tree.Join, read)
	}
	if places {
		with := q.totalComments()
		if q.Column.Count >= 0 {
			with = q.Column.Count
		}
		column := gathering(q.columnPart(key.Span{Partition: key.ColumnValues(q.ProductID, of)}, with, 1),
			q.wanted(false))
		column.ordersItems = true
		tree.Join = append(tree.Join, column)
	}
	slices.SortStableFunc(tree.Join, func(a, b *Scan) int { return cmp.Compare(a.Units, b.Units) })
	at := tree.Begun(0, p.Estimate.Units, bound)
	at.Found = found * share
	if step := tree.Next(at); step.Do != SortAll {
		p.Estimate.Units += step.Units
		p.Estimate.Queries++
		p.Estimate.RoundTrips++
	}
	return p
}

// gathering returns the scan of a whole partition.
func gathering(in part, only Only) *Scan {
	limit := int(1.1*in.count) + 1 // everything in one query, as far as DynamoDB's page limit allows
	return &Scan{Span: in.in, Only: only, Share: 1, Overlay: true, part: in, Limit: limit,
		Each: in.item / bytesPerUnit, Units: units(in.count * in.item)}
}

// InBlock returns how many items a query for LeastUnits should read.
func (s *Scan) InBlock() int { return max(1, int(Fill*LeastUnits/s.Each)) }

// lookingUp estimates the cost of looking up comments in a column:
// each query reads one block, from the first comment on that no earlier query reached.
func (s *Scan) lookingUp(comments float64) float64 {
	reached := comments * float64(s.InBlock()) * s.Each / s.Units // comments per query after its first
	return comments / (1 + reached) * LeastUnits
}

// valueReads returns a scan of a condition's column for each wanted value, or one for a range.
func (q *Query) valueReads(c *Condition) []*Scan {
	reads := make([]*Scan, max(1, len(c.Equals)))
	for i := range reads {
		one := *c
		if len(c.Equals) > 1 {
			one.Equals, one.Count = c.Equals[i:i+1], c.count(q.totalComments())/float64(len(c.Equals))
		}
		reads[i] = q.columnRead(&one)
	}
	return reads
}

// columnRead returns the scan of the values in a condition's column that may satisfy it. Between
// several wanted values there may be others, so their number is a guess.
func (q *Query) columnRead(c *Condition) *Scan {
	count := c.count(q.totalComments())
	column := key.ColumnValues(q.ProductID, c.Attribute)
	from, to, others := c.Range()
	if c.Guess || others {
		count = min(risk*count, q.totalComments())
	}
	span := key.ValuesBetween(column, from, to)
	if len(c.Equals) == 1 {
		span = key.OfValue(column, string(c.Equals[0]))
	}
	return gathering(q.columnPart(span, count, 1), q.wanted(true))
}

// wanted returns the filter of a column scan.
func (q *Query) wanted(attributes bool) Only {
	return Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: attributes}
}

// Gathered is the state of gathering candidates.
type Gathered struct {
	Found   float64 // candidates
	Units   float64 // units spent
	Columns []*Scan // columns of the plan that were not read
	Ordered bool    // the positions of the candidates are known
	Bound   float64 // the limit of units
}

// Begun returns the state after the scans of the Sort were read.
func (s *Sort) Begun(found int, units, bound float64) Gathered {
	return Gathered{float64(found), units, s.Join, s.ordered, bound}
}

// After returns the state after another column was read.
func (at Gathered) After(column int, found, units float64) Gathered {
	at.Found, at.Units, at.Ordered = found, units, at.Ordered || at.Columns[column].ordersItems
	at.Columns = slices.Delete(slices.Clone(at.Columns), column, column+1)
	return at
}

// Checked reports whether the candidates were checked against all conditions of the filter.
func (at Gathered) Checked() bool {
	return !slices.ContainsFunc(at.Columns, func(c *Scan) bool { return c.Only.Attributes })
}

// Step is the next action on gathered candidates.
type Step struct {
	Do     Deed
	Column int     // index in Gathered.Columns of the column to read or to look up candidates in
	Units  float64 // estimated cost of this step and all later ones
}

// Deed is the kind of a step.
type Deed uint8

const (
	SortAll    Deed = iota // sort: all that the page needs is known
	ReadColumn             // read a column
	LookUp                 // look up the candidates in a column one by one
	ReadWhole              // read whole comments: all, or in the list's order until the page is full
	WalkAmong              // read the list in its order until the page is full of candidates
)

// risk is the factor by which a guessed cost is multiplied to compare it with a certain one.
const risk = 2

// Next returns the step with the least estimated total cost. Among the columns of conditions
// the smallest is read first; the column of the order comes before or after them.
func (s *Sort) Next(at Gathered) Step {
	if at.Ordered && len(at.Columns) == 0 {
		return Step{}
	}
	step := s.without(at)
	smallest := true
	for i, c := range at.Columns {
		if !c.ordersItems && !smallest {
			continue
		}
		smallest = smallest && c.ordersItems
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

// join returns whether to read a column or to look up candidates in it, and the estimated cost.
func (s *Sort) join(c *Scan, at Gathered) (do Deed, units float64) {
	if c.Prefix == "" {
		return ReadColumn, c.Units
	}
	units = c.lookingUp(at.Found)
	if units < c.Units || at.Units+c.Units > at.Bound {
		return LookUp, units
	}
	return ReadColumn, c.Units
}

// without returns the cheapest step that reads no further column.
func (s *Sort) without(at Gathered) Step {
	passes := 1.0 // share of candidates that pass the columns not read yet
	for i := range at.Columns {
		passes *= at.Columns[i].Share
	}
	left, want, all := at.Bound-at.Units, float64(s.want), at.Found*s.each
	some := min(all, want/passes*s.each)
	if at.Ordered {
		if all > left {
			some *= risk
		}
		return Step{Do: ReadWhole, Units: some}
	}
	walk := s.Walk.list * min(1, want/max(at.Found*passes, 1))
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

// WalkFor returns how many read units a walk may spend on finding so many candidates, after
// units were spent, and whether enough units remain to read the candidates whole if the walk
// finds too few.
func (s *Sort) WalkFor(found, units, bound float64) (may float64, whole bool) {
	may = bound - units
	if cost := found * s.each; cost < may {
		return may - cost, true
	}
	return may, false
}
