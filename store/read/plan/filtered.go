package plan

import (
	"fmt"
	"math"
	"slices"
)

// allowance is how many blocks of 4 KB a page may cost more than a merge that reads a whole
// page of every partition (part 3 of the series): two read units.
const allowance = 4

// filtered reads the smallest partition of a product that contains all comments of the filter. That is best
// if it discards little. But ratings and languages cluster in time: a read may find nothing,
// and then all partitions must be read as well. So filtered only applies if it cannot cost more
// than the allowance even if it discards everything that it reads. DynamoDB bounds a query by
// its number of items, not by their size; the bound is that number times the size of the
// product's largest comment, or the size of all its comments.
func (s *source) filtered(limit int, items float64) candidate {
	w, want := &s.supersets[0], float64(limit+1)
	c := candidate{strategy: Filtered, index: w.Partition.Index}
	if w.largest == 0 {
		c.not = "the sizes of the comments are not known"
		return c
	}
	tree := &Either{Then: &Merge{}, superset: *w, want: limit + 1}
	for i := range s.partitions {
		tree.Then.Scans = append(tree.Then.Scans, s.partitions[i].scan(want, s.only))
	}
	first, cost := tree.next(allowance, want, w.share, ahead)
	if first == 0 {
		c.not = fmt.Sprintf("a read of comments of up to %.0f bytes that finds nothing could cost more than two units",
			w.largest)
		return c
	}
	read := min(float64(first), w.count)
	tree.First = &Scan{Span: w.Span, of: w.partition, Only: w.only, Share: w.share, Limit: first,
		Items: min(read*w.share, want), Units: units(read * w.item)}
	cost.Discarded = max(0, read-tree.First.Items)
	expected(items, tree.First)
	c.root, c.cost = tree, cost
	return c
}

// next returns how many items to read next so that the worst case stays within a number of
// blocks, and the estimated cost to the end of the page; limit is 0 if no number is possible.
// The page lacks missing items, and share is the share of items that pass. next looks ahead by
// a number of reads.
func (e *Either) next(within int, missing, share float64, ahead int) (limit int, best Estimate) {
	w := &e.superset
	most := math.Floor(float64(within) * block / w.largest)
	for b := 1; b <= within; b++ {
		items := min(math.Floor(float64(b)*block*Fill/w.item), most)
		if w.count*w.item <= float64(within)*block { // reading everything is within the bound
			items = max(items, min(math.Ceil(missing/share)+1, w.count+1))
		}
		if items < 1 {
			continue
		}
		incomplete := 1 - above(missing-1, items*share, math.Sqrt(items*share*(1-share)))
		if items >= w.count {
			incomplete = 0
		}
		cost := Estimate{Units: units(min(items, w.count) * w.item), Queries: 1, RoundTrips: 1}
		if incomplete > 0 {
			rest := e.rest(within-int(2*cost.Units), max(missing-items*share, 1), share, ahead)
			cost.Units += incomplete * rest.Units
			cost.Queries += incomplete * rest.Queries
			cost.RoundTrips += incomplete * rest.RoundTrips
		}
		if limit == 0 || cheaper(cost, best) {
			limit, best = int(items), cost
		}
		if incomplete < certain || items == most { // more items are not needed, or not possible
			break
		}
	}
	return limit, best
}

const (
	ahead   = 2    // how many further reads are considered
	certain = 0.01 // probability of finding too little that does not justify another block
)

// rest estimates the cost of the missing items after a read that found too little: by another
// read if it stays within the bound, or by a merge of the partitions.
func (e *Either) rest(within int, missing, share float64, ahead int) Estimate {
	change := e.change(missing)
	if within < 1 || ahead == 0 {
		return change
	}
	if limit, on := e.next(within, missing, share, ahead-1); limit > 0 && cheaper(on, change) {
		return on
	}
	return change
}

// Progress is the state of a filtered read.
type Progress struct {
	Evaluated  int   // items read
	Found      int   // items that pass
	Blocks     int   // blocks of 4 KB that were paid for
	FoundBytes []int // bytes of the items found, by the scan of Then that contains them
}

// prior is the weight of the statistics, in items, against the items that were read, for
// estimating how many of the next items pass.
const prior = 8

// ReadOn returns how many items to read next of the partition of all ratings, or 0 to change to
// the partitions of single ratings. It continues only while the worst case is within the
// allowance. Full blocks of found items do not count as spent, since a merge would read them
// too.
func (e *Either) ReadOn(at Progress) int {
	within := allowance - at.Blocks
	for _, bytes := range at.FoundBytes {
		within += bytes / block
	}
	if within < 1 {
		return 0
	}
	share := (float64(at.Found) + prior*e.superset.share) / (float64(at.Evaluated) + prior)
	missing := float64(e.want - at.Found)
	limit, cost := e.next(within, missing, share, ahead)
	if limit == 0 || !cheaper(cost, e.change(missing)) {
		return 0
	}
	return limit
}

// change estimates the cost of changing to the merge for the missing items. Each partition is
// read until the page must be full.
func (e *Either) change(missing float64) Estimate {
	cost := Estimate{Queries: float64(len(e.Then.Scans)), RoundTrips: 1}
	for _, s := range e.Then.Scans {
		cost.Units += units(min(max(missing, 1), s.of.passing()) * s.of.each())
	}
	return cost
}

// Partition returns the index of the scan that contains comments in a language with a rating,
// -1 if there is none.
func (m *Merge) Partition(language string, rating int) int {
	return slices.IndexFunc(m.Scans, func(s *Scan) bool {
		return (s.of.language == "" || s.of.language == language) && (s.of.rating == 0 || s.of.rating == rating)
	})
}

// overMerge is how many read units a merge may cost more than reading a whole page of every partition:
// two blocks, and one to know whether others follow.
const overMerge = 1.5

// filteredFamily reads the supersets of all products of a family with a filter expression, and
// changes to exact, the merge of the partitions, if that could cost more than the allowances of all
// products less what the merge takes of them. So a page costs no more than a page of each product
// may. As with one product, the largest comment bounds what a query costs.
func (s *source) filteredFamily(limit int, items float64, exact *candidate) candidate {
	all, products, largest := source{only: s.supersets[0].only, passing: s.passing}, float64(len(s.supersets)), 0.0
	for i := range s.supersets {
		all.partitions = append(all.partitions, s.supersets[i].partition)
		largest = max(largest, s.supersets[i].largest)
	}
	bound := allowance*unitsPerBlock*products - overMerge
	c := all.merge(limit, items)
	c.strategy = Filtered
	most := Fill * (bound - unitsPerBlock*products) * bytesPerUnit / largest // items
	switch {
	case largest == 0:
		c.not = "the sizes of the comments are not known"
	case c.cost.Units > Fill*bound || most < enough*float64(limit+1)/s.supersets[0].share:
		c.not = fmt.Sprintf("a read of comments of up to %.0f bytes that finds too little could cost more than %.1f read units", largest, bound)
	default:
		for _, scan := range c.root.(*Merge).Scans {
			scan.Most = largest / bytesPerUnit
		}
		c.root = &Within{Bound: bound, First: c.root, Then: exact.root, cost: exact.cost}
	}
	return c
}

// enough is how many times the items that a page needs the products of a family may read.
const enough = 1.5
