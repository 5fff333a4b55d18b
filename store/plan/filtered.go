package plan

import (
	"fmt"
	"math"

	"product-comments/store/key"
)

// allowance is how many blocks of 4 KB a page may cost more than the version of
// part 3 of the series does: one read unit.
const allowance = 2

// filtered reads the partition of all ratings. That is best where little is
// thrown away. But ratings cluster in time: a read may find nothing at all, and
// all partitions must be read after it. So it is only possible if it cannot
// take more than the allowance even if everything that it reads is thrown away.
// DynamoDB bounds a query by its number of items, not by their size; the bound
// is that number times the largest comment of the product, or the size of all
// its comments. Where that is too much, why says so.
func filtered(q Query, left []int, reason string) (p Plan, why string) {
	whole := q.whole()
	s := sizesOf(q, whole)
	if s.largest == 0 {
		return p, "the sizes of the comments are not known"
	}
	of, _ := key.RatingsOf(left...)
	share := s.share(of)
	if share == 0 {
		return p, "none of these comments are counted yet"
	}
	p = Plan{
		Strategy: Filtered, Index: whole.Index, Limit: q.Limit, Ratings: q.Ratings, Reason: reason, sizes: s,
	}
	for _, r := range left {
		p.Instead = append(p.Instead, Read{Partition: q.partition(r), Rating: r, Limit: p.Want()})
	}
	limit, cost := p.next(allowance, float64(p.Want()), share)
	if limit == 0 {
		return p, fmt.Sprintf("a read of comments of up to %.0f bytes that finds nothing could cost more than a unit", s.largest)
	}
	read := min(float64(limit), s.sum(key.AllRatings))
	p.Reads = []Read{{Partition: whole, Limit: limit, Items: min(read*share, float64(p.Want())), Units: units(s.of(key.AllRatings, read))}}
	p.Estimate = cost
	p.Estimate.Discarded = max(0, read-p.Reads[0].Items)
	return p, ""
}

// next returns how many items to read next so that the worst case stays within
// some blocks, and what reading to the end of the page should cost then; 0 if
// no number is possible. missing is how many items the page lacks, and share
// the part of the items that pass.
func (p *Plan) next(within int, missing, share float64) (limit int, best Estimate) {
	s := &p.sizes
	size := s.mean(key.AllRatings)
	for b := 1; b <= within; b++ {
		items := math.Floor(float64(b) * block * fill / size)
		if most := math.Floor(float64(within) * block / s.largest); items > most {
			items = most
		}
		if s.all <= float64(within)*block { // everything is within the bound
			items = max(items, min(math.Ceil(missing/share)+1, s.sum(key.AllRatings)+1))
		}
		if items < 1 {
			continue
		}
		incomplete := 1 - above(missing-1, items*share, math.Sqrt(items*share*(1-share)))
		if items >= s.sum(key.AllRatings) {
			incomplete = 0
		}
		cost := Estimate{
			Units:      units(min(items, s.sum(key.AllRatings))*size) + incomplete*p.change(missing-items*share),
			Queries:    1 + incomplete*float64(len(p.Instead)),
			RoundTrips: 1 + incomplete,
		}
		if limit == 0 || cheaper(cost, best) {
			limit, best = int(items), cost
		}
	}
	return limit, best
}

// Progress is what a filtered read has come to.
type Progress struct {
	Evaluated  int // items read
	Found      int // of them that pass
	Blocks     int // of 4 KB that were paid for
	FoundBytes [5]int
}

// prior is how many items the statistics weigh beside those that were read, when
// it is judged how many of the next ones pass.
const prior = 8

// ReadOn returns how many items to read next of the partition of all ratings,
// or 0 to change to the partitions of single ratings. It reads on only as long
// as the worst case is within the allowance: full blocks of items that were
// found count against what was spent, for the other version reads them, too.
func (p *Plan) ReadOn(at Progress) int {
	within := allowance - at.Blocks
	for _, bytes := range at.FoundBytes {
		within += bytes / block
	}
	if within < 1 {
		return 0
	}
	share := (float64(at.Found) + prior*p.sizes.share(p.Ratings)) / (float64(at.Evaluated) + prior)
	missing := float64(p.Want() - at.Found)
	limit, cost := p.next(within, missing, share)
	if limit == 0 || cost.Units >= p.change(missing) {
		return 0
	}
	return limit
}

// change is what it should cost in units to change to the partitions for so
// many items: each is read as far as the page can need it.
func (p *Plan) change(missing float64) float64 {
	sum := 0.0
	for _, r := range p.Instead {
		sum += units(min(max(missing, 1), p.sizes.count[r.Rating-1]) * p.sizes.item[r.Rating-1])
	}
	return sum
}
