package plan

import (
	"math"
	"slices"
)

// roundTrip is what another round trip is worth, in blocks of 4 KB that are not
// read: a merge reads less first, and rather reads on now and then.
const roundTrip = 0.2

// merge reads a partition a rating, or a language and rating. Of each it reads the share of the page that
// its count lets expect, in whole blocks of the 4 KB that are paid for.
//
// What a page costs is bounded whatever the statistics say, compared with a version
// that reads a whole page of every partition (part 3 of the series):
//
//   - No partition is read beyond what that version reads, but for the one item
//     that shows whether others follow.
//   - A partition is read on at most once, and then as far as the page can need
//     it. Its items are split over two queries then, which begin at most one
//     block of 4 KB more than one query.
//   - At most two partitions can be read on: the page is full before a third
//     has run dry, since limits are raised until any three hold a whole page.
//
// So a page costs at most two blocks, one unit, more.
//
// Where only comments with a text are wanted, the counts are those of such
// comments, and so many items are read that they should be among them.
func merge(q Query, left []part, strategy Strategy, reason string) Plan {
	p := Plan{Strategy: strategy, Index: left[0].in.Partition.Index, Limit: q.Limit, Reason: reason}
	tree := &Merge{}
	p.Root = tree
	want, all := float64(p.Want()), passing(left)
	limits := make([]int, len(left)) // in comments that pass
	for i := range left {
		limits[i] = left[i].first(all, want)
		if all == 0 { // none is counted
			limits[i] = int(math.Ceil(want / float64(len(left))))
		}
	}
	most := max(q.Limit, 1)
	for i := range limits {
		if limits[i] = min(max(limits[i], 1), most); left[i].full {
			limits[i] = p.Want()
		}
	}
	raise(limits, p.Want(), most)
	dry, read := 0.0, 0.0
	for i := range left {
		of := &left[i]
		expected, deviation := of.expect(all, want)
		full := min(float64(limits[i]), of.passing())
		out := of.scan(of.toRead(float64(limits[i])), q.only())
		out.Items, out.Units = min(expected, full), units(full*of.each())
		tree.Scans = append(tree.Scans, out)
		p.Estimate.Units += out.Units
		read += full / of.text
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

// expect returns how many of the page's items come from the part, and the standard
// deviation, as if the comments of all parts were shuffled.
func (p *part) expect(all, want float64) (mean, deviation float64) {
	if all == 0 {
		return 0, 0
	}
	share := p.passing() / all
	want = min(want, all)
	return want * share, math.Sqrt(want * share * (1 - share))
}

// first returns how many items of the part to read first: what a number of blocks
// holds, the number that should be paid for in the end. A partition that runs dry
// is read on, which takes another block.
func (p *part) first(all, want float64) int {
	mean, deviation := p.expect(all, want)
	size := p.each()
	best, limit := math.Inf(1), 1.0
	for b := 1.0; b <= blocks(want*size); b++ {
		items := max(1, math.Floor(b*block*Fill/size))
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
