// Package plan decides how a page of comments is read. It is pure: no context,
// clock or client; the same query always gives the same plan.
//
//	Query ── Choose ──▶ Plan: index, partitions, how much to read of each
//
// Package exec carries a plan out.
package plan

import (
	"fmt"
	"strings"

	"product-comments/store/key"
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

// Query is a filter and how many comments of it to find.
type Query struct {
	Filter
	Items int // how many the page needs, including the one that tells whether more follow
}

// Strategy is a way to answer a query.
type Strategy string

const (
	// Single reads one partition, in which every item passes the filter.
	Single Strategy = "single partition"
	// Merge reads one partition a rating in parallel and merges them by sort key.
	Merge Strategy = "merge of partitions"
)

// Read is what to read first of one partition.
type Read struct {
	Partition key.Partition
	Limit     int // items of the first query; later ones read what is still missing
}

// Plan is a way to answer a query, chosen.
type Plan struct {
	Strategy Strategy
	Index    key.Index
	Reads    []Read
	Reason   string
}

// slack is how many items beyond an even share of the page a merge reads first
// of each partition. Reading on costs a round trip, items that fit into the
// same 4 KB cost nothing, and ratings are never spread quite evenly.
const slack = 2

// Choose returns the plan of a query.
func Choose(q Query) Plan {
	ratings := q.Ratings.List()
	switch {
	case len(ratings) == 0 && q.Language == "":
		return single(q, key.PartitionAll(q.ProductID), "no filter")
	case len(ratings) == 0:
		return single(q, key.PartitionByLang(q.ProductID, q.Language), "one language, any rating")
	case len(ratings) == 1 && q.Language == "":
		return single(q, key.PartitionByRating(q.ProductID, ratings[0]), "any language, one rating")
	case len(ratings) == 1:
		return single(q, key.PartitionByLangAndRating(q.ProductID, q.Language, ratings[0]), "one language, one rating")
	}
	p := Plan{Strategy: Merge, Index: key.ByRating, Reason: fmt.Sprintf("any language, %d ratings", len(ratings))}
	partition := func(r int) key.Partition { return key.PartitionByRating(q.ProductID, r) }
	if q.Language != "" {
		p.Index, p.Reason = key.ByLangAndRating, fmt.Sprintf("one language, %d ratings", len(ratings))
		partition = func(r int) key.Partition { return key.PartitionByLangAndRating(q.ProductID, q.Language, r) }
	}
	share := min((q.Items+len(ratings)-1)/len(ratings)+slack, q.Items)
	for _, r := range ratings {
		p.Reads = append(p.Reads, Read{partition(r), share})
	}
	return p
}

func single(q Query, in key.Partition, reason string) Plan {
	return Plan{Strategy: Single, Index: in.Index, Reads: []Read{{in, q.Items}}, Reason: reason}
}

// String draws the plan as a tree.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", p.Strategy, p.Index.Name, p.Reason)
	for i, r := range p.Reads {
		branch := "├─"
		if i == len(p.Reads)-1 {
			branch = "└─"
		}
		fmt.Fprintf(&b, "%s query %s = %s, first %d\n", branch, p.Index.PartitionKey, r.Partition.Value, r.Limit)
	}
	return b.String()
}
