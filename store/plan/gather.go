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
	take := func(parts []part, reads []Read, share float64, by, what string) {
		p := q.gather(parts, reads, share, by, walk, bound)
		p.Reason += what
		plans = append(plans, p)
	}
	for i := range q.Conditions {
		c := &q.Conditions[i]
		in, read := q.columnRead(c)
		take([]part{in}, []Read{read}, q.chosen(left), c.Attribute, fmt.Sprintf(", those with such a %q sorted", c.Attribute))
	}
	if q.All.Tally.Total() > 0 {
		reads := make([]Read, len(left))
		for i, in := range left {
			reads[i] = gathering(in, Only{Which: q.Which(), Attributes: len(q.Conditions) > 0})
		}
		take(left, reads, 1, "", ", all of them sorted")
	}
	return plans
}

// gather reads all comments of some partitions, of which a share passes the filter's
// languages, ratings and text, and then what else is needed of them. by is the attribute
// whose values the partitions tell.
func (q *Query) gather(parts []part, reads []Read, share float64, by string, walk *Plan, bound float64) Plan {
	p := Plan{
		Strategy: Gather, Index: parts[0].in.Partition.Index, Limit: q.Limit, Reason: strings.TrimPrefix(q.what()+", "+q.Order.String(), ", "),
		Reads: reads, Walk: walk, Bound: bound, each: q.wholeComment(), parts: parts, price: q.Price,
	}
	found := 0.0
	for i := range reads {
		found += parts[i].count
		reads[i].Items = min(parts[i].count, float64(p.Want()))
		p.Estimate.Units += reads[i].Units
	}
	p.Estimate.Queries, p.Estimate.RoundTrips = float64(len(reads)), 1
	p.Estimate.Discarded = max(0, found-float64(p.Want()))
	of := q.Order.Column()
	p.ordered = !q.Order.ByColumn() || q.Column.None || q.Column.Shown || of == by
	places := !p.ordered && by != "" // an index may be ahead of columns, so no page mixes the two
	others, _ := q.others(by)
	for _, c := range others {
		if c.Shown {
			share *= q.shareOf([]Condition{c})
			continue
		}
		in, read := q.columnRead(&c)
		read.Share = min(in.count/q.all(), 1)
		if places && c.Attribute == of {
			read.places, places = true, false
		}
		p.Columns = append(p.Columns, read)
	}
	if places {
		with := q.all()
		if q.Column.Count >= 0 {
			with = q.Column.Count
		}
		column := gathering(q.columnPart(key.Span{Partition: key.ColumnValues(q.ProductID, of)}, with, 1), q.wanted(false))
		column.places = true
		p.Columns = append(p.Columns, column)
	}
	slices.SortStableFunc(p.Columns, func(a, b Read) int { return cmp.Compare(a.Units, b.Units) })
	if step := p.Next(Gathered{Found: found * share, Units: p.Estimate.Units, Columns: p.Columns, Ordered: p.ordered}); step.Do != SortAll {
		p.Estimate.Units += step.Units
		p.Estimate.Queries++
		p.Estimate.RoundTrips++
	}
	return p
}

// gathering reads a partition to its end.
func gathering(in part, only Only) Read {
	limit := int(1.1*in.count) + 1 // all of it in one query, if DynamoDB reads so much at once
	return Read{Span: in.in, Only: only, Share: 1, Limit: limit, Each: in.item / bytesPerUnit, Units: units(in.count * in.item)}
}

// InBlock returns how many items a query for LeastUnits should read.
func (r *Read) InBlock() int { return max(1, int(Fill*LeastUnits/r.Each)) }

// lookingUp returns what it should cost to look up some comments in a column, and in how
// many queries: each reads a block, from the first comment on that none before it reached.
func (r *Read) lookingUp(comments float64) (cost, queries float64) {
	reached := comments * float64(r.InBlock()) * r.Each / r.Units // by a query, beside its first
	queries = comments / (1 + reached)
	return queries * LeastUnits, queries
}

// columnRead describes how all of a condition's column is read that may be wanted.
func (q *Query) columnRead(c *Condition) (part, Read) {
	count := c.count(q.all())
	if c.Guess {
		count = min(risk*count, q.all())
	}
	column := key.ColumnValues(q.ProductID, c.Attribute)
	from, to, _ := c.Range()
	span := key.ValuesBetween(column, from, to)
	if len(c.Equals) == 1 {
		span = key.OfValue(column, string(c.Equals[0]))
	}
	in := q.columnPart(span, count, 1)
	return in, gathering(in, q.wanted(true))
}

// wanted is what is wanted of a column.
func (q *Query) wanted(attributes bool) Only {
	return Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: attributes}
}

// Gathered is what gathering has come to.
type Gathered struct {
	Found   float64 // comments that may be wanted
	Units   float64 // that were spent
	Columns []Read  // of the plan's that were not read
	Ordered bool    // the places of the comments are known
}

// Begun returns what gathering has come to when the plan's Reads are read.
func (p *Plan) Begun(found int, units float64) Gathered {
	return Gathered{Found: float64(found), Units: units, Columns: p.Columns, Ordered: p.ordered}
}

// After returns what gathering comes to when one of its columns is read, too.
func (at Gathered) After(column int, found, units float64) Gathered {
	of := &at.Columns[column]
	return Gathered{found, units, slices.Delete(slices.Clone(at.Columns), column, column+1), at.Ordered || of.places}
}

// Checked reports whether all is known that the filter wants.
func (at Gathered) Checked() bool {
	return !slices.ContainsFunc(at.Columns, func(c Read) bool { return c.Only.Attributes })
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
func (p *Plan) Next(at Gathered) Step {
	if at.Ordered && len(at.Columns) == 0 {
		return Step{}
	}
	step := p.without(at)
	smallest := true
	for i := range at.Columns {
		c := &at.Columns[i]
		if !c.places && !smallest {
			continue
		}
		smallest = smallest && c.places
		do, units := p.join(c, at)
		if at.Units+units > p.Bound {
			continue
		}
		rest := p.Next(at.After(i, at.Found*c.Share, at.Units+units))
		if units+rest.Units < step.Units {
			step = Step{do, i, units + rest.Units}
		}
	}
	return step
}

// join returns how a column should tell more of comments, and what that should cost.
func (p *Plan) join(c *Read, at Gathered) (do Deed, units float64) {
	if c.Prefix == "" {
		return ReadColumn, c.Units
	}
	units, queries := c.lookingUp(at.Found)
	if units+p.price*(queries-1) < c.Units || at.Units+c.Units > p.Bound {
		return LookUp, units
	}
	return ReadColumn, c.Units
}

// without returns the step that should be cheapest where no column is read any more.
func (p *Plan) without(at Gathered) Step {
	passes := 1.0 // share of the comments found that pass the columns not read yet
	for i := range at.Columns {
		passes *= at.Columns[i].Share
	}
	left, want, all := p.Bound-at.Units, float64(p.Want()), at.Found*p.each
	some := min(all, want/passes*p.each)
	if at.Ordered {
		if all > left {
			some *= risk
		}
		return Step{Do: ReadWhole, Units: some}
	}
	walk := p.Walk.list * min(1, want/max(at.Found*passes, 1))
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

// WalkFor returns the walk that looks for so many gathered comments after some read units
// were spent, and whether its bound leaves enough to read them whole if it finds too few.
func (p *Plan) WalkFor(found, units float64) (walk Plan, whole bool) {
	walk, walk.Bound = *p.Walk, p.Bound-units
	if cost := found * p.each; cost < walk.Bound {
		walk.Bound, whole = walk.Bound-cost, true
	}
	return walk, whole
}
