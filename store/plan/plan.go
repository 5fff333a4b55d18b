// Package plan decides how a page of comments is read. It is pure: no context,
// clock or client; the same query always gives the same plan.
//
//	Filter ┐
//	Known  ┼─ Choose ──▶ Plan: a tree of operators, how much each scan reads,
//	Limit  ┘             what that should cost, and why other ways lost
//
// Package exec carries a plan out.
package plan

import (
	"fmt"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Counts are what statistics say of some comments of a product. All zero is not known.
// They price plans: what is wrong in them makes a page dearer, and never different.
type Counts struct {
	stats.Tally
	stats.Sizes
	Wanted stats.Tally // how many of them the filter's Which wants; not known if it is zero
}

// Known is what is known of a product. The zero value is nothing, with which
// every filter can be answered.
type Known struct {
	// Counts are those of the filter's language if it names one, else of all
	// comments.
	Counts
	// Of has the counts of each language of a filter that names several.
	Of map[string]Counts
	// All are those of all comments of the product, known for a filter of which OfAll
	// says so.
	All Counts
	// PowerSet is true if there is a copy of every comment for every set of
	// ratings that contains its own. It must be true.
	PowerSet bool
}

// Query is a filter, what is known, and the size of the page.
type Query struct {
	Filter
	Known
	Conditions []Condition // what the filter's Attributes come to
	Column     Column      // by which the list is ordered, if it is one by column
	Limit      int         // comments of the page; one more shows whether others follow
	// Which segments of the list the window lies in, see Segment: Backward begins with
	// the last one. After and Before name those of its ends, nil for an open one.
	Backward      bool
	After, Before *int
	// Price is what a query takes of the engine, however little it reads, in read
	// units: 0 for DynamoDB, which charges what is read.
	Price float64

	share       float64    // of comments that Conditions let through, where they are checked; 0 if none are
	checked     bool       // in whole comments
	readColumn  *Condition // whose column is read instead of an index; see ofValues
	columnParts []part     // partitions of a column that are read; nil for those that the filter names
	columnOnly  Only       // what of them is wanted
}

// Strategy is a way to answer a query.
type Strategy string

const (
	// Single reads one partition, in which every item passes the filter.
	Single Strategy = "single partition"
	// Merged reads one partition a rating, or a language and rating, in parallel and
	// merges them by sort key.
	Merged Strategy = "merge of partitions"
	// Filtered reads one partition of more comments with a filter expression, and
	// changes to a merge if it finds too little.
	Filtered Strategy = "filtered partition"
	// PowerSet reads the partition, one a language, that holds copies of exactly
	// the comments that pass the filter (part 1 of the series).
	PowerSet Strategy = "power-set partition"
	// InTurn reads segments of the list one after the other, each in its own way.
	InTurn Strategy = "stretches in turn"
	// Gather reads all comments that may be wanted, and sorts them.
	Gather Strategy = "gathered and sorted"
	// Refused reads nothing: no way to the page is within its bound.
	Refused Strategy = "refused"
	// Nothing reads nothing, since nothing can be in the window.
	Nothing Strategy = "nothing to read"
)

// Estimate is what a way to answer should cost.
type Estimate struct {
	Units      float64 // read capacity units, eventually consistent
	Queries    float64
	RoundTrips float64
	Discarded  float64 // items that are read and not shown
}

// Alternative is a way to answer that was not chosen.
type Alternative struct {
	Strategy Strategy
	Index    key.Index
	Estimate Estimate // zero if it was not weighed
	Reason   string
}

// Plan is a way to answer a query, chosen: a tree of operators.
type Plan struct {
	Strategy Strategy
	Index    key.Index
	Limit    int  // of the query
	Root     Node // nil if nothing is read
	Reason   string
	Estimate Estimate
	Rejected []Alternative
	// Bound is what the page may cost at most in read units, where it has a bound;
	// 0 if not.
	Bound float64
	// Conditions are those on attributes, of which an index or column checks what it
	// carries.
	Conditions []Condition
	Languages  key.Languages // of the filter, with their regions

	list float64 // of a walk: read units of the list to its end
}

// Want returns how many items the page needs: one more than it shows.
func (p *Plan) Want() int { return p.Limit + 1 }

// Choose returns the plan of a query: the way that should take the fewest read
// units, the price of its queries included; of several such ways that of the fewest
// queries.
func Choose(q Query) Plan {
	q.Limit = max(q.Limit, 0)
	switch {
	case q.Created.Any():
	case q.Order.ByColumn():
		return Plan{Strategy: Refused, Index: key.Columns, Limit: q.Limit, Reason: inTurn(q.describe(), q.Order)}
	case q.Created.Empty():
		return Plan{Strategy: Nothing, Limit: q.Limit, Reason: "no comment is in the window"}
	}
	if q.OfAll() {
		return q.byValues(q.parts())
	}
	if q.Order.Field == ByRating {
		return q.inTurn(q.toRead(q.byRating()))
	}
	return q.choose()
}

// choose returns the plan of a list that is one segment, in the order of time.
func (q *Query) choose() Plan {
	parts, what := q.parts(), q.describe()
	if q.readColumn != nil {
		what += fmt.Sprintf(", through those with such a %q", q.readColumn.Attribute)
	}
	switch {
	case len(parts) == 1:
		return single(*q, parts[0], what)
	case q.readColumn != nil || q.columnParts != nil:
		return merge(*q, parts, Merged, what)
	}
	return q.weigh(parts, what)
}

// weigh chooses among the ways to read several partitions.
func (q *Query) weigh(left []part, what string) Plan {
	candidates := []Plan{merge(*q, left, Merged, what)}
	var ruledOut []Alternative
	if filtered, why := filtered(*q, left, what); why == "" {
		candidates = append(candidates, filtered)
	} else {
		ruledOut = append(ruledOut, Alternative{Strategy: Filtered, Index: filtered.Index, Reason: why})
	}
	if q.PowerSet && len(q.Ratings.List()) > 1 {
		candidates = append(candidates, q.powerSet(what+", kept together"))
	}
	best := 0
	for i := range candidates {
		if cheaper(candidates[i].Estimate, candidates[best].Estimate, q.Price) {
			best = i
		}
	}
	p := candidates[best]
	p.Rejected = ruledOut
	for i, c := range candidates {
		if i != best {
			p.Rejected = append(p.Rejected, Alternative{c.Strategy, c.Index, c.Estimate, why(c.Estimate, p.Estimate, q.Price)})
		}
	}
	return p
}

// costs is what a way takes, in read units, where a query has a price of its own.
func (e Estimate) costs(price float64) float64 { return e.Units + price*e.Queries }

// cheaper compares two ways: by what they take, then by queries.
func cheaper(a, b Estimate, price float64) bool {
	if d := a.costs(price) - b.costs(price); d > 0.01 || d < -0.01 {
		return d < 0
	}
	return a.Queries < b.Queries
}

func why(lost, won Estimate, price float64) string {
	if lost.Units <= won.Units && lost.costs(price) > won.costs(price)+0.01 {
		return fmt.Sprintf("%.1f queries more, each of which takes as much as %g read units here", lost.Queries-won.Queries, price)
	}
	if lost.Units > won.Units+0.01 {
		return fmt.Sprintf("%.2f read units more", lost.Units-won.Units)
	}
	if lost.Queries > won.Queries+0.05 {
		return fmt.Sprintf("as many read units, but %.1f queries more", lost.Queries-won.Queries)
	}
	return "no cheaper"
}

// describe spells the filter.
func (q *Query) describe() string {
	text := spellNumber(len(q.Languages.List()), "language") + ", " + spellNumber(len(q.Ratings.List()), "rating")
	if q.Languages.Any() && q.Ratings.Any() {
		text = "no filter"
	}
	if which := spellWhich(q.Which()); which != "" {
		text += ", " + which
	}
	if !q.Created.Any() {
		text += ", " + q.Created.String()
	}
	for _, c := range q.Conditions {
		text += fmt.Sprintf(", by %q", c.Attribute)
	}
	return text
}

// spellNumber spells how many things of a kind are wanted, 0 for any.
func spellNumber(n int, kind string) string {
	switch n {
	case 0:
		return "any " + kind
	case 1:
		return "one " + kind
	}
	return fmt.Sprintf("%d %ss", n, kind)
}

// scan is how the part is read.
func (p *part) scan(limit int, only Only) *Scan {
	each := p.item / bytesPerUnit
	if p.in.Partition.Index.Apart() {
		limit = min(limit, mostAtOnce)
	}
	if only.Checked {
		limit, each = min(limit, mostChecked), each+unitsPerBlock
	}
	return &Scan{Span: p.in, Only: only, Share: p.text, Limit: limit, Each: each, Overlay: p.in.Partition.Index.Apart(), of: *p}
}

// single reads one partition, in which every comment has a language and a rating of
// the filter.
func single(q Query, of part, reason string) Plan {
	want := float64(q.Limit + 1)
	scan := of.scan(of.toRead(want), q.only())
	scan.Items, scan.Units = want, units(want*of.each())
	return Plan{
		Strategy: Single, Index: of.in.Partition.Index, Limit: q.Limit, Root: &Merge{[]*Scan{scan}}, Reason: reason,
		Estimate: Estimate{Units: scan.Units, Queries: 1, RoundTrips: 1},
	}
}

// powerSet reads the copies of the comments with the filter's ratings, of each of
// its languages or of any.
func (q *Query) powerSet(reason string) Plan {
	var parts []part
	for _, language := range q.languages() {
		c, in := q.counts(language), key.PowerSet(q.ProductID, language, q.Ratings)
		s := sizesOf(c, in)
		parts = append(parts, part{in: q.span(in), language: language, count: s.sum(q.Ratings), item: s.mean(q.Ratings), text: q.text(c, q.Ratings)})
	}
	if len(parts) > 1 {
		return merge(*q, parts, PowerSet, reason)
	}
	p := single(*q, parts[0], reason)
	p.Strategy = PowerSet
	return p
}
