// Package plan decides how a page of comments is read. It is pure: no context,
// clock or client; the same query always gives the same plan.
//
//	Filter ┐
//	Known  ┼─ Choose ──▶ Plan: index, partitions, how much to read of each,
//	Limit  ┘             what that should cost, and why other ways lost
//
// Package exec carries a plan out.
package plan

import (
	"fmt"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Filter says which comments of a product are wanted.
type Filter struct {
	ProductID string
	Language  string      // canonical BCP 47 tag, matched exactly; empty is any
	Ratings   key.Ratings // a set that is empty or full is any
}

// Scope spells the filter so that equal filters, and no others, have equal
// scopes. Cursors are bound to it. Ids hold no control characters, so the
// zero bytes separate.
func (f Filter) Scope() string {
	return f.ProductID + "\x00" + f.Language + "\x00" + string('0'+rune(f.Ratings.Canonical()))
}

// Known is what is known of a product. The zero value is nothing, with which
// every filter can be answered.
type Known struct {
	// Empty are the ratings of which the product has no comments, in the
	// filter's language if it names one. It must be true, or pages lack comments.
	Empty key.Ratings
	// PowerSet is true if there is a copy of every comment for every set of
	// ratings that contains its own. It must be true, too.
	PowerSet bool
	// Statistics of the filter's language, or of any. All zero is not known.
	// What is wrong in them makes a page dearer, and never different.
	stats.Tally
	stats.Sizes
}

// Query is a filter, what is known, and the size of the page.
type Query struct {
	Filter
	Known
	Limit int // comments of the page; one more tells whether others follow
}

// Strategy is a way to answer a query.
type Strategy string

const (
	// Single reads one partition, in which every item passes the filter.
	Single Strategy = "single partition"
	// Merge reads one partition a rating in parallel and merges them by sort key.
	Merge Strategy = "merge of partitions"
	// Filtered reads the partition of all ratings with a filter expression, and
	// changes to a merge if it finds too little.
	Filtered Strategy = "filtered partition"
	// PowerSet reads the one partition that holds copies of exactly the
	// comments that pass the filter (part 1 of the series).
	PowerSet Strategy = "power-set partition"
	// Nothing reads nothing, since there can be no such comment.
	Nothing Strategy = "nothing to read"
)

// Read is what to read first of one partition.
type Read struct {
	Partition key.Partition
	Rating    int     // the only one in it; 0 if there are several
	Limit     int     // items of the first query, those that are filtered out included
	Items     float64 // how many of them should be shown
	Units     float64 // what it should cost, in read capacity units
}

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

// Plan is a way to answer a query, chosen.
type Plan struct {
	Strategy Strategy
	Index    key.Index
	Limit    int         // of the query
	Ratings  key.Ratings // what the filter expression of a filtered read lets through
	Reads    []Read      // the first, at once
	Instead  []Read      // of a filtered read: the partitions to change to
	Skipped  []key.Partition
	Reason   string
	Estimate Estimate
	Rejected []Alternative

	sizes sizes // for those decisions that are made on the way
}

// Want returns how many items the page needs: one more than it shows.
func (p *Plan) Want() int { return p.Limit + 1 }

// Choose returns the plan of a query: the way that should take the fewest read
// units, of several such ways that of the fewest queries.
func Choose(q Query) Plan {
	q.Limit = max(q.Limit, 0)
	ratings := q.Ratings.List()
	if len(ratings) == 0 {
		if q.Empty == key.AllRatings {
			return nothing(q.whole())
		}
		reason := "no filter"
		if q.Language != "" {
			reason = "one language, any rating"
		}
		return single(q, q.whole(), key.AllRatings, reason)
	}
	var left []int // ratings of which there may be comments
	var skipped []key.Partition
	for _, r := range ratings {
		if q.Empty>>(r-1)&1 == 1 {
			skipped = append(skipped, q.partition(r))
		} else {
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		return nothing(skipped...)
	}
	p := q.weigh(left)
	p.Skipped = skipped
	return p
}

// weigh chooses among the ways to read the partitions that are left.
func (q *Query) weigh(left []int) Plan {
	chosen := len(q.Ratings.List())
	if len(left) == 1 {
		reason := fmt.Sprintf("%s, one rating", q.language())
		if chosen > 1 {
			reason = fmt.Sprintf("%s, %d ratings, of which one has comments", q.language(), chosen)
		}
		set, _ := key.RatingsOf(left[0])
		return single(*q, q.partition(left[0]), set, reason)
	}
	what := fmt.Sprintf("%s, %d ratings", q.language(), chosen)
	candidates := []Plan{merge(*q, left, what)}
	var ruledOut []Alternative
	if filtered, why := filtered(*q, left, what); why == "" {
		candidates = append(candidates, filtered)
	} else {
		ruledOut = append(ruledOut, Alternative{Strategy: Filtered, Index: q.whole().Index, Reason: why})
	}
	if q.PowerSet {
		p := single(*q, key.PowerSet(q.ProductID, q.Language, q.Ratings), q.Ratings, what+", kept together")
		p.Strategy = PowerSet
		candidates = append(candidates, p)
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
			p.Rejected = append(p.Rejected, Alternative{c.Strategy, c.Index, c.Estimate, why(c.Estimate, p.Estimate)})
		}
	}
	return p
}

// cheaper compares two ways: by read units, then by queries.
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

func (q *Query) language() string {
	if q.Language == "" {
		return "any language"
	}
	return "one language"
}

// whole is the partition of all ratings.
func (q *Query) whole() key.Partition {
	if q.Language == "" {
		return key.PartitionAll(q.ProductID)
	}
	return key.PartitionByLang(q.ProductID, q.Language)
}

// partition is that of one rating.
func (q *Query) partition(rating int) key.Partition {
	if q.Language == "" {
		return key.PartitionByRating(q.ProductID, rating)
	}
	return key.PartitionByLangAndRating(q.ProductID, q.Language, rating)
}

func nothing(skipped ...key.Partition) Plan {
	return Plan{Strategy: Nothing, Index: skipped[0].Index, Skipped: skipped, Reason: "no comment passes the filter"}
}

// single reads one partition that holds comments of a set of ratings, and
// nothing else.
func single(q Query, in key.Partition, ratings key.Ratings, reason string) Plan {
	s := sizesOf(q, in)
	items := q.Limit + 1
	read := Read{Partition: in, Limit: items, Items: float64(items), Units: units(s.of(ratings, float64(items)))}
	return Plan{
		Strategy: Single, Index: in.Index, Limit: q.Limit, Reads: []Read{read}, Reason: reason,
		Estimate: Estimate{Units: read.Units, Queries: 1, RoundTrips: 1}, sizes: s,
	}
}
