package plan

import (
	"math"
	"slices"

	"product-comments/store/key"
)

// roundTrip is what another round trip is worth, in blocks of 4 KB that are not
// read: a merge reads less first, and rather reads on now and then.
const roundTrip = 0.2

// merge reads a partition a rating. Of each it reads the share of the page that
// its count lets expect, in whole blocks of the 4 KB that are paid for.
//
// What a page costs is bounded whatever the statistics say, beside a version
// that reads a whole page of every partition (part 3 of the series):
//
//   - No partition is read beyond what that version reads, but for the one item
//     that tells whether others follow.
//   - A partition is read on at most once, and then as far as the page can need
//     it. Its items are split over two queries then, which begin at most one
//     block of 4 KB more than one query.
//   - At most two partitions can be read on: the page is full before a third
//     has run dry, since limits are raised until any three hold a whole page.
//
// So a page costs at most two blocks, one unit, more.
func merge(q Query, left []int, reason string) Plan {
	p := Plan{Strategy: Merge, Limit: q.Limit, Reason: reason}
	want := float64(p.Want())
	of, _ := key.RatingsOf(left...)
	limits := make([]int, len(left))
	for i, r := range left {
		in := q.partition(r)
		if i == 0 {
			p.Index, p.sizes = in.Index, sizesOf(q, in)
		}
		limits[i] = p.sizes.first(r, of, want)
	}
	if p.sizes.sum(of) == 0 { // hinted, but not counted
		for i := range limits {
			limits[i] = int(math.Ceil(want / float64(len(left))))
		}
	}
	most := max(q.Limit, 1)
	for i := range limits {
		limits[i] = min(max(limits[i], 1), most)
	}
	raise(limits, p.Want(), most)
	dry, read := 0.0, 0.0
	for i, r := range left {
		rating := key.Ratings(1) << (r - 1)
		expected, deviation := p.sizes.expect(rating, of, want)
		full := min(float64(limits[i]), p.sizes.count[r-1])
		out := Read{Partition: q.partition(r), Rating: r, Limit: limits[i], Items: min(expected, full), Units: units(p.sizes.of(rating, full))}
		p.Reads = append(p.Reads, out)
		p.Estimate.Units += out.Units
		read += full
		if limits[i] < most {
			again := above(float64(limits[i]), expected, deviation)
			p.Estimate.Units += again * unitsPerBlock
			p.Estimate.Queries += again
			dry = 1 - (1-dry)*(1-again)
		}
	}
	p.Estimate.Queries += float64(len(left))
	p.Estimate.RoundTrips = 1 + dry
	p.Estimate.Discarded = max(0, read-want)
	return p
}

// expect returns how many of the page's items have a rating, and the standard
// deviation, as if comments of the ratings were shuffled.
func (s *sizes) expect(rating, of key.Ratings, want float64) (mean, deviation float64) {
	all := s.sum(of)
	if all == 0 {
		return 0, 0
	}
	share := s.sum(rating) / all
	want = min(want, all)
	return want * share, math.Sqrt(want * share * (1 - share))
}

// first returns how many items to read first of a rating's partition: what a
// number of blocks holds, the number that should be paid for in the end. A
// partition that runs dry is read on, which takes another block.
func (s *sizes) first(rating int, of key.Ratings, want float64) int {
	mean, deviation := s.expect(key.Ratings(1)<<(rating-1), of, want)
	size := s.item[rating-1]
	best, limit := math.Inf(1), 1.0
	for b := 1.0; b <= blocks(want*size); b++ {
		items := max(1, math.Floor(b*block*fill/size))
		if cost := b + above(items, mean, deviation)*(blocks((want-items)*0.8*size)+roundTrip); cost < best {
			best, limit = cost, items
		}
	}
	return int(limit)
}

// raise raises the smallest limits until any three partitions hold a page.
func raise(limits []int, want, most int) {
	if len(limits) < 3 {
		return
	}
	for {
		sorted := slices.Sorted(slices.Values(limits))
		if sorted[0]+sorted[1]+sorted[2] >= want || sorted[2] >= most && sorted[0] >= most {
			return
		}
		for i, l := range limits {
			if l == sorted[0] {
				limits[i]++
				break
			}
		}
	}
}
