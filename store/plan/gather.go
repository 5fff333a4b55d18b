package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"product-comments/store/key"
)

// gathers returns the ways that read a few comments, the wanted ones among them: those
// with a value that a condition wants, or those with the filter's languages and ratings.
// What these do not tell is found as Next says; walk is that of the list in its order.
func (q *Query) gathers(left []part, walk *Plan, bound float64) (plans []Plan) {
	take := func(reads []*Scan, share float64, by, what string) {
		p := q.gather(reads, share, by, walk, bound)
		p.Reason += what
		plans = append(plans, p)
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		take([]*Scan{q.columnRead(c)}, q.chosen(left), c.Attribute, fmt.Sprintf(", those with such a %q sorted", c.Attribute))
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

// gather reads all comments of some partitions, of which a share passes the filter's
// languages, ratings and text, and then what else is needed of them. by is the attribute
// whose values the partitions tell.
func (q *Query) gather(reads []*Scan, share float64, by string, walk *Plan, bound float64) Plan {
	tree := &Sort{Of: &Merge{reads}, Walk: walk, want: q.Limit + 1, each: q.wholeComment(), price: q.Price}
	p := Plan{
		Strategy: Gather, Index: reads[0].Partition.Index, Limit: q.Limit, Root: tree, Bound: bound,
		Reason: strings.TrimPrefix(q.describe()+", "+q.Order.String(), ", "),
	}
	found := 0.0
	for _, read := range reads {
		found += read.of.count
		read.Items = min(read.of.count, float64(p.Want()))
		p.Estimate.Units += read.Units
	}
	p.Estimate.Queries, p.Estimate.RoundTrips = float64(len(reads)), 1
	p.Estimate.Discarded = max(0, found-float64(p.Want()))
	of := q.Order.Column()
	tree.ordered = !q.Order.ByColumn() || q.Column.None || q.Column.Shown || of == by
	places := !tree.ordered && by != "" // an index may be ahead of columns, so no page mixes the two
	others, _ := q.others(by)
	for _, c := range others {
		if c.Shown {
			share *= q.shareOf([]Condition{c})
			continue
		}
		read := q.columnRead(&c)
		read.Share = min(read.of.count/q.totalComments(), 1)
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
		column := gathering(q.columnPart(key.Span{Partition: key.ColumnValues(q.ProductID, of)}, with, 1), q.wanted(false))
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

// gathering reads a partition to its end.
func gathering(in part, only Only) *Scan {
	limit := int(1.1*in.count) + 1 // all of it in one query, if DynamoDB reads so much at once
	return &Scan{Span: in.in, Only: only, Share: 1, Overlay: true, of: in, Limit: limit, Each: in.item / bytesPerUnit, Units: units(in.count * in.item)}
}

// InBlock returns how many items a query for LeastUnits should read.
func (s *Scan) InBlock() int { return max(1, int(Fill*LeastUnits/s.Each)) }

// lookingUp returns what it should cost to look up some comments in a column, and in how
// many queries: each reads a block, from the first comment on that none before it reached.
func (s *Scan) lookingUp(comments float64) (cost, queries float64) {
	reached := comments * float64(s.InBlock()) * s.Each / s.Units // by a query, besides its first
	queries = comments / (1 + reached)
	return queries * LeastUnits, queries
}

// columnRead describes how all of a condition's column is read that may be wanted.
func (q *Query) columnRead(c *Condition) *Scan {
	count := c.count(q.totalComments())
	if c.Guess {
		count = min(risk*count, q.totalComments())
	}
	column := key.ColumnValues(q.ProductID, c.Attribute)
	from, to, _ := c.Range()
	span := key.ValuesBetween(column, from, to)
	if len(c.Equals) == 1 {
		span = key.OfValue(column, string(c.Equals[0]))
	}
	return gathering(q.columnPart(span, count, 1), q.wanted(true))
}

// wanted is what is wanted of a column.
func (q *Query) wanted(attributes bool) Only {
	return Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: attributes}
}

// Gathered is the state of gathering.
type Gathered struct {
	Found   float64 // comments that may be wanted
	Units   float64 // that were spent
	Columns []*Scan // of the plan's that were not read
	Ordered bool    // the places of the comments are known
	Bound   float64 // what may be spent
}

// Begun returns the state of gathering when its scans are read.
func (s *Sort) Begun(found int, units, bound float64) Gathered {
	return Gathered{float64(found), units, s.Join, s.ordered, bound}
}

// After returns the state of gathering when one of its columns is read, too.
func (at Gathered) After(column int, found, units float64) Gathered {
	at.Found, at.Units, at.Ordered = found, units, at.Ordered || at.Columns[column].ordersItems
	at.Columns = slices.Delete(slices.Clone(at.Columns), column, column+1)
	return at
}

// Checked reports whether all is known that the filter wants.
func (at Gathered) Checked() bool {
	return !slices.ContainsFunc(at.Columns, func(c *Scan) bool { return c.Only.Attributes })
}

// Step is what to do next with comments that were gathered.
type Step struct {
	Do     Deed
	Column int     // of those not read, which to read or to look them up in
	Units  float64 // what it and all after it should cost
}

// Deed is a kind of step.
type Deed uint8

const (
	SortAll    Deed = iota // all that the page needs is known
	ReadColumn             // a column tells more of them
	LookUp                 // the same, where they are looked up in it one by one
	ReadWhole              // the comments are read whole: all, or in the list's order until the page is full
	WalkAmong              // the list is read in its order until the page is full of gathered comments
)

// risk is the factor by which a guessed cost is weighed against a sure one.
const risk = 2

// Next returns the step that should be cheapest in the end. Of the columns of conditions
// the smallest is read first, and that of the order before or after them.
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

// join returns how a column should tell more of comments, and what that should cost.
func (s *Sort) join(c *Scan, at Gathered) (do Deed, units float64) {
	if c.Prefix == "" {
		return ReadColumn, c.Units
	}
	units, queries := c.lookingUp(at.Found)
	if units+s.price*(queries-1) < c.Units || at.Units+c.Units > at.Bound {
		return LookUp, units
	}
	return ReadColumn, c.Units
}

// without returns the step that should be cheapest where no column is read any more.
func (s *Sort) without(at Gathered) Step {
	passes := 1.0 // share of the comments found that pass the columns not read yet
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

// WalkFor returns what a walk may cost that looks for so many gathered comments after some
// read units were spent, and whether that leaves enough to read them whole if it finds too
// few.
func (s *Sort) WalkFor(found, units, bound float64) (may float64, whole bool) {
	may = bound - units
	if cost := found * s.each; cost < may {
		return may - cost, true
	}
	return may, false
}
