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
		for _, first := range []bool{false, true} {
			p := q.gather(parts, slices.Clone(reads), share, by, walk, bound, first)
			if p.Reason += what; !first || p.ordered == 1 && len(p.Columns) > 1 {
				plans = append(plans, p)
			}
		}
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
// whose values the partitions tell; first is true if their order is found first.
func (q *Query) gather(parts []part, reads []Read, share float64, by string, walk *Plan, bound float64, first bool) Plan {
	p := Plan{
		Strategy: Gather, Index: parts[0].in.Index, Limit: q.Limit, Reason: strings.TrimPrefix(q.what()+", "+q.Order.String(), ", "),
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
	others, _ := q.others(by)
	for _, c := range others {
		if c.Shown {
			share *= q.shareOf([]Condition{c})
			continue
		}
		in, read := q.columnRead(&c)
		read.Share = min(in.count/q.all(), 1)
		p.Columns = append(p.Columns, read)
	}
	slices.SortStableFunc(p.Columns, func(a, b Read) int { return cmp.Compare(a.Units, b.Units) })
	of := q.Order.Column()
	switch known := !q.Order.ByColumn() || q.Column.None || q.Column.Shown || of == by; {
	case known:
	case by == "": // an index may be ahead of columns, so no page mixes the two
		p.ordered = len(p.Columns) + 1
	default:
		with := q.all()
		if q.Column.Count >= 0 {
			with = q.Column.Count
		}
		column := gathering(q.columnPart(key.ColumnValues(q.ProductID, of), with, 1), q.wanted(false))
		if at := slices.IndexFunc(p.Columns, func(r Read) bool { return r.Partition == column.Partition }); at >= 0 {
			column = p.Columns[at]
			p.Columns = slices.Delete(p.Columns, at, at+1)
		}
		at := len(p.Columns)
		if first {
			at = 0
		}
		p.Columns, p.ordered = slices.Insert(p.Columns, at, column), at+1
	}
	if step, cost := p.Next(Gathered{found * share, 0, p.Estimate.Units}); step != SortAll {
		p.Estimate.Units += cost
		p.Estimate.Queries++
		p.Estimate.RoundTrips++
	}
	return p
}

// gathering reads a partition to its end.
func gathering(in part, only Only) Read {
	limit := int(1.1*in.count) + 1 // all of it in one query, if DynamoDB reads so much at once
	return Read{Partition: in.in, Only: only, Share: 1, Limit: limit, Each: in.item / bytesPerUnit, Units: units(in.count * in.item)}
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
	in := q.columnPart(key.ColumnValues(q.ProductID, c.Attribute), count, 1)
	read := gathering(in, q.wanted(true))
	if read.From, read.To, _ = c.Range(); len(c.Equals) == 1 {
		read.Value = c.Equals[0]
	}
	return in, read
}

// wanted is what is wanted of a column.
func (q *Query) wanted(attributes bool) Only {
	return Only{Languages: q.Languages, Ratings: q.Ratings, Which: q.Which(), Attributes: attributes}
}

// Gathered is what gathering has come to.
type Gathered struct {
	Found   float64 // comments that may be wanted
	Columns int     // of the plan's that were read, too
	Units   float64 // that were spent
}

// Step is what to do next with comments that were gathered.
type Step uint8

const (
	SortAll    Step = iota // all that the page needs is known
	ReadColumn             // the next of the plan's columns tells more of them
	LookUp                 // the same, where they are looked up in it one by one
	ReadWhole              // the comments are read whole: all, or in the list's order until the page is full
	WalkAmong              // the list is read in its order until the page is full of gathered comments
)

// risk is the factor by which a guessed cost is weighed against a sure one.
const risk = 2

// Next returns the step that should be cheapest in the end, and what it and those after
// it should cost.
func (p *Plan) Next(at Gathered) (step Step, cost float64) {
	if at.Columns == len(p.Columns) && p.Ordered(at.Columns) {
		return SortAll, 0
	}
	passes := 1.0 // share of the comments found that pass the columns not read yet
	for _, c := range p.Columns[at.Columns:] {
		passes *= c.Share
	}
	left, want, all := p.Bound-at.Units, float64(p.Want()), at.Found*p.each
	whole := min(all, want/passes*p.each)
	if !p.Ordered(at.Columns) {
		whole = all
		cost = p.Walk.list * min(1, want/max(at.Found*passes, 1))
		if !p.Checked(at.Columns) {
			cost += min(all, want/passes*p.each)
		}
	}
	switch sure := all <= left; {
	case sure && (cost == 0 || whole <= risk*cost || whole+risk*cost > left):
		step, cost = ReadWhole, whole
	case cost == 0:
		step, cost = ReadWhole, risk*whole
	case sure:
		step = WalkAmong
	default:
		step, cost = WalkAmong, risk*cost
	}
	if at.Columns == len(p.Columns) {
		return step, cost
	}
	c, weight := &p.Columns[at.Columns], cost
	join := func(how Step, units, queries float64) {
		if units > left {
			return
		}
		_, rest := p.Next(Gathered{at.Found * c.Share, at.Columns + 1, at.Units + units})
		if total := units + rest; total+p.price*queries < weight {
			step, cost, weight = how, total, total+p.price*queries
		}
	}
	join(ReadColumn, c.Units, 1)
	if c.Value != nil {
		units, queries := c.lookingUp(at.Found)
		join(LookUp, units, queries)
	}
	return step, cost
}

// WalkFor returns the walk that looks for gathered comments, and whether its bound leaves
// enough to read them whole if it finds too few.
func (p *Plan) WalkFor(at Gathered) (walk Plan, whole bool) {
	walk, walk.Bound = *p.Walk, p.Bound-at.Units
	if cost := at.Found * p.each; cost < walk.Bound {
		walk.Bound, whole = walk.Bound-cost, true
	}
	return walk, whole
}

// Checked reports whether so many of the plan's columns tell all that the filter wants.
func (p *Plan) Checked(columns int) bool {
	return !slices.ContainsFunc(p.Columns[columns:], func(c Read) bool { return c.Only.Attributes })
}

// Ordered reports whether so many of the plan's columns tell the places of comments.
func (p *Plan) Ordered(columns int) bool { return columns >= p.ordered }
