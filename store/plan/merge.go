package plan

import (
	"math"
	"slices"
)

// roundTrip is the cost of a round trip in blocks of 4 KB: a merge reads few blocks first, and
// accepts an occasional second read.
const roundTrip = 0.2

// merge reads one partition for each rating, or for each language and rating. From each it
// reads the expected share of the page, in whole blocks of 4 KB.
//
// A page's cost is bounded whatever the statistics are, compared with reading a whole page of
// every partition (part 3 of the series):
//
//   - No partition is read further than that, except for the one item that shows whether
//     others follow.
//   - A partition is read again at most once, and then as far as the page can need it. Its
//     items are split over two queries, which start at most one block of 4 KB more than one
//     query.
//   - At most two partitions are read again: the page is full before a third one runs dry,
//     since limits are raised until any three hold a whole page.
//
// So a page costs at most two blocks, one unit, more.
//
// If only comments with a text are wanted, the counts are the counts of comments with a text,
// and correspondingly more items are read.
func merge(q Query, left []part, strategy Strategy, reason string) Plan {
	p := Plan{Strategy: strategy, Index: left[0].in.Partition.Index, Limit: q.Limit, Reason: reason}
	tree := &Merge{}
	p.Root = tree
	want, all := float64(p.Want()), passing(left)
	limits := make([]int, len(left)) // in comments that pass
	for i := range left {
		limits[i] = left[i].first(all, want)
		if all == 0 { // the statistics have no such comment
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

// expect returns the mean and the standard deviation of the number of the page's items that
// come from the part, if the comments of all parts are shuffled.
func (p *part) expect(all, want float64) (mean, deviation float64) {
	if all == 0 {
		return 0, 0
	}
	share := p.passing() / all
	want = min(want, all)
	return want * share, math.Sqrt(want * share * (1 - share))
}

// first returns how many items of the part to read first: the contents of the number of blocks
// with the least expected cost. A partition that runs dry is read again, which costs another
// block.
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
