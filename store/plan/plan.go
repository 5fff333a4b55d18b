// Package plan decides how a page of comments is read. It is pure: no context,
// clock or client; the same query always gives the same plan.
//
//	Filter ┐
//	Known  ┴─ Choose ──▶ Plan: index, partitions, how much to read of each
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

// Known is what is known of a product. The zero value is nothing, with which
// every filter can be answered; what is stated must be true, or pages lack
// comments.
type Known struct {
	// Empty are the ratings of which the product has no comments, in the
	// filter's language if it names one.
	Empty key.Ratings
	// PowerSet is true if there is a copy of every comment for every set of
	// ratings that contains its own.
	PowerSet bool
}

// Query is a filter, what is known, and how many comments to find.
type Query struct {
	Filter
	Known
	Items int // how many the page needs, including the one that tells whether more follow
}

// Strategy is a way to answer a query.
type Strategy string

const (
	// Single reads one partition, in which every item passes the filter.
	Single Strategy = "single partition"
	// Merge reads one partition a rating in parallel and merges them by sort key.
	Merge Strategy = "merge of partitions"
	// PowerSet reads the one partition that holds copies of exactly the
	// comments that pass the filter (part 1 of the series).
	PowerSet Strategy = "power-set partition"
	// Nothing reads nothing, since there can be no such comment.
	Nothing Strategy = "nothing to read"
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
	Skipped  []key.Partition // that are known to be empty
	Reason   string
}

// slack is how many items beyond an even share of the page a merge reads first
// of each partition. Reading on costs a round trip, items that fit into the
// same 4 KB cost nothing, and ratings are never spread quite evenly.
const slack = 2

// Choose returns the plan of a query.
func Choose(q Query) Plan {
	ratings := q.Ratings.List()
	language := "any language"
	if q.Language != "" {
		language = "one language"
	}
	if len(ratings) == 0 {
		index, reason := key.PartitionAll(q.ProductID), "no filter"
		if q.Language != "" {
			index, reason = key.PartitionByLang(q.ProductID, q.Language), "one language, any rating"
		}
		if q.Empty == key.AllRatings {
			return nothing(index)
		}
		return single(q, index, reason)
	}
	var partitions, skipped []key.Partition
	for _, r := range ratings {
		p := key.PartitionByRating(q.ProductID, r)
		if q.Language != "" {
			p = key.PartitionByLangAndRating(q.ProductID, q.Language, r)
		}
		if q.Empty>>(r-1)&1 == 1 {
			skipped = append(skipped, p)
		} else {
			partitions = append(partitions, p)
		}
	}
	var p Plan
	switch {
	case len(partitions) == 0:
		return nothing(skipped...)
	case len(partitions) == 1 && len(skipped) > 0:
		p = single(q, partitions[0], fmt.Sprintf("%s, %d ratings, of which one has comments", language, len(ratings)))
	case len(partitions) == 1:
		p = single(q, partitions[0], language+", one rating")
	case q.PowerSet:
		p = single(q, key.PowerSet(q.ProductID, q.Language, q.Ratings), fmt.Sprintf("%s, %d ratings, kept together", language, len(ratings)))
		p.Strategy = PowerSet
	default:
		p = merge(q, partitions, fmt.Sprintf("%s, %d ratings", language, len(ratings)))
	}
	p.Skipped = skipped
	return p
}

func nothing(skipped ...key.Partition) Plan {
	return Plan{Strategy: Nothing, Index: skipped[0].Index, Skipped: skipped, Reason: "no comment passes the filter"}
}

func merge(q Query, partitions []key.Partition, reason string) Plan {
	p := Plan{Strategy: Merge, Index: partitions[0].Index, Reason: reason}
	share := min((q.Items+len(partitions)-1)/len(partitions)+slack, q.Items)
	for _, in := range partitions {
		p.Reads = append(p.Reads, Read{in, share})
	}
	return p
}

func single(q Query, in key.Partition, reason string) Plan {
	return Plan{Strategy: Single, Index: in.Index, Reads: []Read{{in, q.Items}}, Reason: reason}
}

// String draws the plan as a tree.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s: %s\n", p.Strategy, p.Index, p.Reason)
	var branches []string
	for _, r := range p.Reads {
		branches = append(branches, fmt.Sprintf("query %s = %s, first %d", p.Index.PartitionKey, r.Partition.Value, r.Limit))
	}
	for _, s := range p.Skipped {
		branches = append(branches, fmt.Sprintf("skip %s = %s, it is empty", s.Index.PartitionKey, s.Value))
	}
	for i, branch := range branches {
		corner := "├─"
		if i == len(branches)-1 {
			corner = "└─"
		}
		fmt.Fprintf(&b, "%s %s\n", corner, branch)
	}
	return b.String()
}
