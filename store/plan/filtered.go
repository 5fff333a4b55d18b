package plan

import (
	"fmt"
	"math"

	"product-comments/store/key"
)

// allowance is how many blocks of 4 KB a page may cost more than the version of
// part 3 of the series does: two read units.
const allowance = 4

// allowed is the allowance where a query has a price of its own: one that finds the
// page saves all the others that the other version sends, and may waste what they
// would have been worth.
func (q *Query) allowed(parts int) int {
	return allowance + int(q.Price/unitsPerBlock)*(parts-1)
}

// filtered reads the smallest partition that all comments of the filter lie in.
// That is best where little is thrown away. But ratings and languages cluster in
// time: a read may find nothing at all, and all partitions must be read after it.
// So it is only possible if it cannot take more than the allowance even if
// everything that it reads is thrown away. DynamoDB bounds a query by its number of
// items, not by their size; the bound is that number times the largest comment of
// the product, or the size of all its comments. Where that is too much, why says so.
func filtered(q Query, left []part, reason string) (p Plan, why string) {
	w := q.whole(left)
	p = Plan{Strategy: Filtered, Index: w.in.Index, Limit: q.Limit, Reason: reason, whole: w, parts: left, price: q.Price, allowed: q.allowed(len(left))}
	if q.OfAll() {
		return p, "how many pass is a guess"
	}
	if w.largest == 0 {
		return p, "the sizes of the comments are not known"
	}
	for i := range left {
		of := &left[i]
		p.Instead = append(p.Instead, of.read(of.toRead(float64(p.Want())), q.textOnly()))
	}
	limit, cost := p.next(p.allowed, float64(p.Want()), w.share, ahead)
	if limit == 0 {
		return p, fmt.Sprintf("a read of comments of up to %.0f bytes that finds nothing could cost more than two units", w.largest)
	}
	read := min(float64(limit), w.count)
	p.Reads = []Read{{Span: key.Span{Partition: w.in}, Only: w.only, Share: w.share, Limit: limit, Items: min(read*w.share, float64(p.Want())), Units: units(read * w.item)}}
	p.Estimate = cost
	p.Estimate.Discarded = max(0, read-p.Reads[0].Items)
	return p, ""
}

// next returns how many items to read next so that the worst case stays within
// some blocks, and what reading to the end of the page should cost then; 0 if
// no number is possible. missing is how many items the page lacks, and share
// the part of the items that pass. It looks so many reads ahead.
func (p *Plan) next(within int, missing, share float64, ahead int) (limit int, best Estimate) {
	w := &p.whole
	most := math.Floor(float64(within) * block / w.largest)
	for b := 1; b <= within; b++ {
		items := min(math.Floor(float64(b)*block*Fill/w.item), most)
		if w.all <= float64(within)*block { // everything is within the bound
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
			rest := p.rest(within-int(2*cost.Units), max(missing-items*share, 1), share, ahead)
			cost.Units += incomplete * rest.Units
			cost.Queries += incomplete * rest.Queries
			cost.RoundTrips += incomplete * rest.RoundTrips
		}
		if limit == 0 || cheaper(cost, best, p.price) {
			limit, best = int(items), cost
		}
		if incomplete < certain || items == most { // no more are needed, or possible
			break
		}
	}
	return limit, best
}

const (
	ahead   = 2    // reads after the next one that are weighed
	certain = 0.01 // probability of finding too little that is not worth another block
)

// rest is what it should cost to find what is missing after a read that found too
// little: reading on as far as that is safe, or the partitions.
func (p *Plan) rest(within int, missing, share float64, ahead int) Estimate {
	change := Estimate{Units: p.change(missing), Queries: float64(len(p.Instead)), RoundTrips: 1}
	if within < 1 || ahead == 0 {
		return change
	}
	if limit, on := p.next(within, missing, share, ahead-1); limit > 0 && cheaper(on, change, p.price) {
		return on
	}
	return change
}

// Progress is what a filtered read has come to.
type Progress struct {
	Evaluated  int   // items read
	Found      int   // of them that pass
	Blocks     int   // of 4 KB that were paid for
	FoundBytes []int // of those, by the partition of Instead that they lie in, too
}

// prior is how many items the statistics weigh beside those that were read, when
// it is judged how many of the next ones pass.
const prior = 8

// ReadOn returns how many items to read next of the partition of all ratings,
// or 0 to change to the partitions of single ratings. It reads on only as long
// as the worst case is within the allowance: full blocks of items that were
// found count against what was spent, for the other version reads them, too.
func (p *Plan) ReadOn(at Progress) int {
	within := p.allowed - at.Blocks
	for _, bytes := range at.FoundBytes {
		within += bytes / block
	}
	if within < 1 {
		return 0
	}
	share := (float64(at.Found) + prior*p.whole.share) / (float64(at.Evaluated) + prior)
	missing := float64(p.Want() - at.Found)
	limit, cost := p.next(within, missing, share, ahead)
	change := Estimate{Units: p.change(missing), Queries: float64(len(p.Instead)), RoundTrips: 1}
	if limit == 0 || !cheaper(cost, change, p.price) {
		return 0
	}
	return limit
}

// change is what it should cost in units to change to the partitions for so
// many items: each is read as far as the page can need it.
func (p *Plan) change(missing float64) float64 {
	sum := 0.0
	for i := range p.parts {
		of := &p.parts[i]
		sum += units(min(max(missing, 1), of.passing()) * of.each())
	}
	return sum
}

// Part returns which partition of Instead holds comments in a language and with a
// rating, -1 for none.
func (p *Plan) Part(language string, rating int) int {
	for i := range p.parts {
		of := &p.parts[i]
		if (of.language == "" || of.language == language) && (of.rating == 0 || of.rating == rating) {
			return i
		}
	}
	return -1
}
