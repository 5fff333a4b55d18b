// Package plan decides how to read a page of comments. It is pure: no context, clock or client;
// equal queries have equal plans.
//
//	Query ──▶ facts ──▶ a candidate of each strategy ──▶ Plan: the cheapest candidate, a tree
//	                                                     of operators, and why the others lost
//
// The facts are the partitions that hold the list's comments, with estimated numbers and sizes,
// and the conditions that scans of them must check. A strategy is a function from facts to an
// operator with its cost. Package exec executes plans.
package plan

import (
	"cmp"
	"fmt"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
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
	// Photos are the comments with photos, in any language, if the filter wants only such; unknown if
	// zero.
	Photos stats.Tally
	// PowerSet reports whether the product's power set is complete: a copy of every comment for
	// every set of ratings that contains its own. If it were wrong, pages would be incomplete.
	PowerSet bool
}

// Query is the input of Choose: a filter, the statistics, and the window's size.
type Query struct {
	Filter
	Known
	Conditions []Condition // the conditions of the filter's Attributes
	Values     Values      // the attribute index that the list is ordered by, if any
	// Members are the products of a family; Known and Values are their sums, see Sum. It is nil for
	// a product.
	Members []Member
	Limit   int // comments of the page; one more item shows whether others follow
	// After and Before are the ranges of the window's ends, nil for an open end; see Range.
	// Backward begins with the last range.
	Backward      bool
	After, Before *int
}

// Values describes the attribute index that a list is ordered by.
type Values struct {
	None bool // no comment of the product has a value, so there is no index
	// Partial is true while the index has only the comments with a value. Others are read by
	// time.
	Partial bool
	Shown   bool    // lists carry the attribute's values
	Count   float64 // comments that have a value, negative if that is not known
}

// Strategy is a way to answer a query.
type Strategy string

const (
	// Single reads one partition that has only comments of the filter.
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
	// Concatenated reads the ranges of the list in order, each in its own way.
	Concatenated Strategy = "concat of ranges"
	// Gather reads all comments that may be wanted, and sorts them.
	Gather Strategy = "gathered and sorted"
	// Refused reads nothing: no way to the page is within its bound.
	Refused Strategy = "refused"
	// Nothing reads nothing, since nothing can be in the window.
	Nothing Strategy = "nothing to read"
)

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
	// Conditions are the conditions on attributes. A scan checks them on the attributes that its
	// index carries.
	Conditions []Condition
	Languages  key.Languages // of the filter, with their regions
	Partial    bool          // see Values
}

// Want returns how many items the page needs: one more than it shows.
func (p *Plan) Want() int { return p.Limit + 1 }

// candidate is the result of a strategy: a way to read a page or a range, or the reason why the
// strategy does not apply.
type candidate struct {
	strategy Strategy
	index    key.Index
	root     Node
	note     string // for the plan's reason
	cost     Estimate
	not      string // why the strategy does not apply, "" if it does
}

// Choose returns the plan of a query with the fewest estimated read units, and among equal ones
// the fewest queries.
func Choose(q Query) Plan {
	q.Limit = max(q.Limit, 0)
	f := factsOf(&q)
	var all []candidate
	for i := range f.walks {
		all = append(all, f.walks[i].candidates(q.Limit)...)
	}
	walks := len(all)
	if len(f.pools) > 0 && guesses(all[0].root) {
		for i := range f.pools {
			all = append(all, gather(&f.pools[i], all[0].root, f.walks[0].units, f.bound))
		}
	}
	for i := range all {
		if c := &all[i]; c.cost.Units > f.most {
			c.not = fmt.Sprintf("a page may cost %.0f read units", f.most)
		}
	}
	if surest := cheapest(all[walks:]); surest >= 0 {
		for i := range walks {
			all[i] = guarded(all[i], &all[walks+surest], f.bound)
		}
	}
	p := Plan{Strategy: f.otherwise, Limit: q.Limit, Bound: f.bound, Conditions: q.Conditions,
		Languages: q.Languages, Partial: q.Values.Partial}
	best := cheapest(all)
	switch {
	case best >= 0:
		c := &all[best]
		p.Strategy, p.Index, p.Root, p.Estimate, p.Reason = c.strategy, c.index, c.root, c.cost, q.describe()+c.note
	case f.otherwise == Nothing:
		p.Reason = "no comment is in the window"
	default:
		p.Reason = q.describe() + ", " + q.Order.String()
	}
	for i := range all {
		if c := &all[i]; i != best {
			lost := cmp.Or(c.not, why(c.cost, p.Estimate))
			p.Rejected = append(p.Rejected, Alternative{c.strategy, c.index, c.cost, lost})
		}
	}
	return p
}
