// Package plan decides how to read a page of comments. It is pure: no context, clock or client;
// equal queries have equal plans.
//
//	Filter ┐
//	Known  ┼─ Choose ──▶ Plan: a tree of operators, how much each scan reads,
//	Limit  ┘             its estimated cost, and the rejected alternatives
//
// Package exec executes plans.
package plan

import (
	"fmt"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Counts are statistics of some comments of a product; the zero value is unknown. They only
// price plans: wrong counts make a page more expensive, but never change its content.
type Counts struct {
	stats.Tally
	stats.Sizes
	Wanted stats.Tally // number of comments that pass the filter's Which; unknown if zero
}

// Known are the statistics of a product. Every filter can be planned with the zero value, which
// knows nothing.
type Known struct {
	// Counts are the counts of the filter's language if it names exactly one, else of all
	// comments.
	Counts
	// Of has the counts of each language of a filter that names several.
	Of map[string]Counts
	// All are the counts of all comments of the product, set if the filter's OfAll is true.
	All Counts
	// PowerSet reports whether the product's power set is complete: a copy of every comment for
	// every set of ratings that contains its own. If it were wrong, pages would be incomplete.
	PowerSet bool
}

// Query is the input of Choose: a filter, the statistics, and the window's size.
type Query struct {
	Filter
	Known
	Conditions []Condition // the conditions of the filter's Attributes
	Column     Column      // the column that the list is ordered by, if any
	Limit      int         // comments of the page; one more item shows whether others follow
	// After and Before are the segments of the window's ends, nil for an open end; see Segment.
	// Backward begins with the last segment.
	Backward      bool
	After, Before *int

	share       float64    // share of comments that satisfy Conditions, where they are checked; 0 if they are not
	checked     bool       // Conditions are checked in whole comments
	readColumn  *Condition // the condition whose column is read instead of an index; see ofValues
	columnParts []part     // partitions of a column to read; nil for the partitions of the filter
	columnOnly  Only       // the filter for columnParts
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

// Estimate is the estimated cost of a plan.
type Estimate struct {
	Units      float64 // read capacity units, eventually consistent
	Queries    float64
	RoundTrips float64
	Discarded  float64 // items read but not shown
}

// Alternative is a rejected plan.
type Alternative struct {
	Strategy Strategy
	Index    key.Index
	Estimate Estimate // zero if it was not estimated
	Reason   string
}

// Plan is the chosen way to read a page: a tree of operators.
type Plan struct {
	Strategy Strategy
	Index    key.Index
	Limit    int  // of the query
	Root     Node // nil if nothing is read
	Reason   string
	Estimate Estimate
	Rejected []Alternative
	// Bound is the cost limit of the page in read units; 0 for none.
	Bound float64
	// Conditions are the conditions on attributes. A scan checks the ones whose attributes its
	// index or column carries.
	Conditions []Condition
	Languages  key.Languages // of the filter, with their regions
	Part       bool          // see Column

	list float64 // in a walk: read units of the whole list
}

// Want returns how many items the page needs: one more than it shows.
func (p *Plan) Want() int { return p.Limit + 1 }

// Choose returns the plan of a query with the fewest estimated read units, and among equal ones
// the fewest queries.
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

// choose plans a list of one segment, in the order of time.
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
		if cheaper(candidates[i].Estimate, candidates[best].Estimate) {
			best = i
		}
	}
	p := candidates[best]
	p.Rejected = ruledOut
	for i, c := range candidates {
		if i != best {
			p.Rejected = append(p.Rejected,
				Alternative{c.Strategy, c.Index, c.Estimate, why(c.Estimate, p.Estimate)})
		}
	}
	return p
}

// cheaper reports whether a costs less than b, or as much with fewer queries.
func cheaper(a, b Estimate) bool {
	if d := a.Units - b.Units; d > 0.01 || d < -0.01 {
		return d < 0
	}
	return a.Queries < b.Queries
}

func why(lost, won Estimate) string {
	if lost.Units > won.Units+0.01 {
		return fmt.Sprintf("%.2f read units more", lost.Units-won.Units)
	}
	if lost.Queries > won.Queries+0.05 {
		return fmt.Sprintf("as many read units, but %.1f queries more", lost.Queries-won.Queries)
	}
	return "no cheaper"
}

// describe spells the filter for people.
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

// spellNumber spells a number of things of a kind; 0 is any.
func spellNumber(n int, kind string) string {
	switch n {
	case 0:
		return "any " + kind
	case 1:
		return "one " + kind
	}
	return fmt.Sprintf("%d %ss", n, kind)
}

// scan returns the scan of the part.
func (p *part) scan(limit int, only Only) *Scan {
	each := p.item / bytesPerUnit
	if p.in.Partition.Index.Apart() {
		limit = min(limit, mostAtOnce)
	}
	if only.Checked {
		limit, each = min(limit, mostChecked), each+unitsPerBlock
	}
	return &Scan{Span: p.in, Only: only, Share: p.text, Limit: limit, Each: each,
		Overlay: p.in.Partition.Index.Apart(), part: *p}
}

// single reads one partition in which every comment has a language and a rating of the filter.
func single(q Query, of part, reason string) Plan {
	want := float64(q.Limit + 1)
	scan := of.scan(of.toRead(want), q.only())
	scan.Items, scan.Units = want, units(want*of.each())
	return Plan{
		Strategy: Single, Index: of.in.Partition.Index, Limit: q.Limit, Root: &Merge{[]*Scan{scan}}, Reason: reason,
		Estimate: Estimate{Units: scan.Units, Queries: 1, RoundTrips: 1},
	}
}

// powerSet reads the copies for the filter's ratings, in each of its languages or in any.
func (q *Query) powerSet(reason string) Plan {
	var parts []part
	for _, language := range q.languages() {
		c, in := q.counts(language), key.PowerSet(q.ProductID, language, q.Ratings)
		s := sizesOf(c, in)
		parts = append(parts, part{in: q.span(in), language: language, count: s.sum(q.Ratings),
			item: s.mean(q.Ratings), text: q.text(c, q.Ratings)})
	}
	if len(parts) > 1 {
		return merge(*q, parts, PowerSet, reason)
	}
	p := single(*q, parts[0], reason)
	p.Strategy = PowerSet
	return p
}
