package plan

import "math"

// Range is a range of a list that has several. Within a range comments are in the order of sort
// keys, and all its comments come before the comments of the next one.
type Range struct {
	Number int     // counted from the list's start, as positions name it
	What   string  // its description, such as "rating 5"
	Items  float64 // estimated number of the page's items in it
	Root   Node    // reads so many items

	source source
	count  float64 // its comments that pass by the statistics; infinite if unknown
	limit  int     // of Root
}

// For returns the operator that reads limit comments of the range, and one more that shows
// whether others follow.
func (r *Range) For(limit int) Node {
	if r.limit == limit {
		return r.Root
	}
	return r.source.read(limit, math.Inf(1)).root
}

// Did adds the actual cost of an operator that For returned to the scans of the range's own.
func (r *Range) Did(by Node) {
	if by == r.Root {
		return
	}
	for _, did := range scans(by) {
		for _, own := range scans(r.Root) {
			if own.Span == did.Span {
				own.Actual.Add(did.Actual)
			}
		}
	}
}

// Together returns how many items to read of each of the next ranges in parallel, so that a page
// that lacks missing items should be full then. The first range may have to fill the page.
func Together(next []*Range, missing int) (limits []int) {
	expected := 0.0
	for i := range next {
		limits = append(limits, max(0, missing-1-int(expected)))
		if expected += next[i].count; expected >= float64(missing) {
			break
		}
	}
	return limits
}

// candidates returns the ways to read the list in its order.
func (w *walk) candidates(limit int) (all []candidate) {
	if w.byTime {
		all = w.ranges[0].source.candidates(limit, math.Inf(1))
	} else {
		all = []candidate{concat(w.ranges, limit)}
	}
	for i := range all {
		c := &all[i]
		c.note = w.note + c.note
		c.cost.Units = min(c.cost.Units, w.units) + w.checks
		if w.checks > 0 {
			c.cost.Queries++
			c.cost.RoundTrips++
		}
	}
	return all
}

// concat reads ranges in order. Ranges that the page needs in any case are read in parallel.
func concat(ranges []Range, limit int) candidate {
	tree := &Concat{}
	for _, r := range ranges {
		tree.Ranges = append(tree.Ranges, &r)
	}
	c := candidate{strategy: Concatenated, root: tree}
	for rest, missing := tree.Ranges, limit+1; len(rest) > 0; {
		limits := Together(rest, missing)
		longest := 0.0
		for i, limit := range limits {
			r := rest[i]
			r.Items = math.Floor(min(r.count, float64(missing)))
			one := r.source.read(limit, r.Items)
			r.Root, r.limit = one.root, limit
			if r == tree.Ranges[0] {
				c.index = one.index
			}
			if missing <= 0 {
				continue
			}
			c.cost.Units += one.cost.Units
			c.cost.Queries += one.cost.Queries
			c.cost.Discarded += one.cost.Discarded
			longest = max(longest, one.cost.RoundTrips)
			missing -= int(r.Items)
		}
		c.cost.RoundTrips += longest
		rest = rest[len(limits):]
	}
	return c
}
