package plan

import (
	"fmt"
	"math"
	"slices"

	"product-comments/store/key"
)

// roundTrip is the cost of a round trip in blocks of 4 KB: a merge reads few blocks first, and
// accepts an occasional second read.
const roundTrip = 0.2

// Bounds of the first query in a search for rare items.
const (
	mostAtOnce  = 500
	mostChecked = 50 // if comments are read whole
)

// MostParallel bounds the parallel queries of a merge.
const MostParallel = 50

// Trips returns the round trips of a number of parallel queries.
func Trips(queries int) int { return (queries + MostParallel - 1) / MostParallel }

// manyItems is the assumed number of items in a span: more than a page.
const manyItems = 1 << 20

// Spans returns the plan of a page of a list in spans with the same order and about equally many
// items in each. size is the size of an item in bytes, keys included.
func Spans(spans []key.Span, size float64, limit int) Plan {
	p := Plan{Strategy: Nothing, Limit: max(limit, 0), Reason: "no item passes the filter"}
	if len(spans) == 0 {
		return p
	}
	s := source{passing: manyItems * float64(len(spans))}
	for _, in := range spans {
		s.partitions = append(s.partitions, partition{Span: in, count: manyItems, item: size, share: 1})
	}
	if p.Reason = "one partition"; len(spans) > 1 {
		p.Reason = fmt.Sprintf("%d partitions, estimated as equally large", len(spans))
	}
	c := s.read(p.Limit, math.Inf(1))
	p.Strategy, p.Index, p.Root, p.Estimate = c.strategy, c.index, c.root, c.cost
	return p
}

// read returns the cheapest way to read limit comments of a range, and one more that shows
// whether others follow. items is the expected number of items on the page.
func (s *source) read(limit int, items float64) candidate {
	all := s.candidates(limit, items)
	return all[cheapest(all)]
}

// candidates returns the ways to read limit comments of a range.
func (s *source) candidates(limit int, items float64) []candidate {
	all := []candidate{s.all(limit, items)}
	switch len(s.supersets) {
	case 0:
	case 1:
		all = append(all, s.filtered(limit, items))
	default:
		all = append(all, s.filteredFamily(limit, items, &all[0]))
	}
	if s.copies != nil {
		c := s.copies.all(limit, items)
		c.strategy, c.note = PowerSet, ", kept together"
		all = append(all, c)
	}
	if s.withPhotos != nil {
		all = append(all, s.withPhotos.all(limit, items))
	}
	return all
}

// all reads the partitions of a range.
func (s *source) all(limit int, items float64) candidate {
	if len(s.partitions) == 1 {
		return s.single(limit, items)
	}
	return s.merge(limit, items)
}

// single reads the one partition of a range.
func (s *source) single(limit int, items float64) candidate {
	p, want := &s.partitions[0], float64(limit+1)
	scan := p.scan(want, s.only)
	scan.Items, scan.Units = want, units(want*p.each())
	cost := Estimate{Units: scan.Units, Queries: 1, RoundTrips: 1}
	return candidate{strategy: Single, index: p.Partition.Index, root: &Merge{expected(items, scan)}, cost: cost}
}

// merge reads one partition for each rating, or for each language and rating. From each it
// reads the expected share of the page, in whole blocks of 4 KB.
//
// Wrong statistics cannot raise a page's cost without bound. Compared with reading a whole page
// of every partition (part 3 of the series):
//
//   - No partition is read further than that, except for the one item that shows whether
//     others follow.
//   - A partition is read again at most once, and then for all items that the page can need.
//     Two queries start at most one block of 4 KB more than one query for the same items.
//   - At most two partitions are read again: the page is full before a third one runs dry,
//     since limits are raised until any three hold a whole page.
//
// So a page costs at most two blocks, one unit, more.
//
// If only comments with a text are wanted, the counts are the counts of comments with a text,
// and correspondingly more items are read.
func (s *source) merge(limit int, items float64) candidate {
	c := candidate{strategy: Merged, index: s.partitions[0].Partition.Index}
	tree := &Merge{}
	want, most, read, dry := float64(limit+1), max(limit, 1), 0.0, 0.0
	limits := s.limits(limit+1, most)
	for i := range s.partitions {
		p, limit := &s.partitions[i], float64(limits[i]) // in comments that pass
		mean, deviation := p.expect(s.passing, want)
		full := min(limit, p.passing())
		scan := p.scan(limit, s.only)
		scan.Items, scan.Units = min(mean, full), units(full*p.each())
		tree.Scans = append(tree.Scans, scan)
		c.cost.Units += scan.Units
		read += full / p.share
		if limits[i] < most {
			again := above(limit, mean, deviation)
			c.cost.Units += again * unitsPerBlock
			c.cost.Queries += again
			dry = 1 - (1-dry)*(1-again)
		}
	}
	c.cost.Queries += float64(len(s.partitions))
	c.cost.RoundTrips = float64(Trips(len(s.partitions))) + dry
	c.cost.Discarded = max(0, read-want)
	tree.Scans = expected(items, tree.Scans...)
	c.root = tree
	return c
}

// limits returns how many comments that pass to read first of each partition.
func (s *source) limits(want, most int) []int {
	limits := make([]int, len(s.partitions))
	for i := range limits {
		p := &s.partitions[i]
		switch {
		case p.full:
			limits[i] = want
		case s.passing == 0: // the statistics have no such comment
			limits[i] = min(max(int(math.Ceil(float64(want)/float64(len(limits)))), 1), most)
		default:
			limits[i] = min(max(p.first(s.passing, float64(want)), 1), most)
		}
	}
	raise(limits, want, most)
	return limits
}

// expect returns the mean and the standard deviation of the number of the page's items that
// come from the partition, if the comments of all partitions are shuffled.
func (p *partition) expect(all, want float64) (mean, deviation float64) {
	if all == 0 {
		return 0, 0
	}
	share := p.passing() / all
	want = min(want, all)
	return want * share, math.Sqrt(want * share * (1 - share))
}

// first returns how many items of the partition to read first: the contents of the number of
// blocks with the least expected cost. A partition that runs dry is read again, which costs
// another block.
func (p *partition) first(all, want float64) int {
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

// scan returns a scan with a first query that should find a number of comments that pass.
func (p *partition) scan(passing float64, only Only) *Scan {
	limit, each := int(math.Ceil(passing/p.share)), p.item/bytesPerUnit
	apart := p.Partition.Index.Apart()
	if apart {
		limit = min(limit, mostAtOnce)
	}
	if only.Checked {
		limit, each = min(limit, mostChecked), each+unitsPerBlock
	}
	return &Scan{Span: p.Span, Only: only, Share: p.share, Limit: limit, Each: each, Overlay: apart, of: *p}
}

// expected limits the estimated items of scans to the expected number on the page.
func expected(items float64, scans ...*Scan) []*Scan {
	sum := 0.0
	for _, s := range scans {
		sum += s.Items
	}
	for _, s := range scans {
		if sum > items {
			s.Items *= items / sum
		}
		if items == 0 {
			s.Units = 0 // read only if the page needs it
		}
	}
	return scans
}
