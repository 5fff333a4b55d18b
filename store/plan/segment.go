package plan

import (
	"math"
	"slices"

	"product-comments/store/key"
)

// Segment is a part of a list that has several. Within a segment comments are in the order of
// sort keys, and all its comments come before the comments of the next one.
type Segment struct {
	Number int     // counted from the list's start, as positions name it
	What   string  // its description, such as "rating 5"
	Items  float64 // estimated number of the page's items in it
	Plan   *Plan   // for so many items

	query Query
	count float64 // its passing comments by the statistics; infinite if unknown
}

// For returns the plan for reading so many comments of the segment, and one more that shows
// whether it has others.
func (s *Segment) For(limit int) *Plan {
	if s.Plan != nil && s.Plan.Limit == limit {
		return s.Plan
	}
	s.query.Limit = limit
	p := s.query.choose()
	return &p
}

// Did adds the actual cost of a plan that For returned to the scans of the segment's own plan.
func (s *Segment) Did(by *Plan) {
	if by == s.Plan {
		return
	}
	for _, did := range by.Scans() {
		for _, own := range s.Plan.Scans() {
			if own.Span == did.Span {
				own.Actual.Add(did.Actual)
			}
		}
	}
}

// Together returns how many of the remaining segments to read in parallel, so that a page that
// lacks so many items should be full then, and how many items of each. The first one is read as
// far as the page can need it.
func Together(left []*Segment, missing int) (limits []int) {
	expected := 0.0
	for i := range left {
		limits = append(limits, max(0, missing-1-int(expected)))
		if expected += left[i].count; expected >= float64(missing) {
			break
		}
	}
	return limits
}

// inTurn plans the segments of a list one after the other; segments that are needed in any case
// are read in parallel.
func (q *Query) inTurn(segments []Segment) Plan {
	p := Plan{Strategy: InTurn, Limit: q.Limit, Reason: inTurn(q.describe(), q.Order)}
	if len(segments) == 0 {
		p.Strategy, p.Reason = Nothing, "no comment is in the window"
		return p
	}
	tree := &Concat{}
	for _, s := range segments {
		s.Plan = s.For(q.Limit)
		s.count = 0
		for _, scan := range s.Plan.wanted() {
			s.count += scan.part.passing()
		}
		if q.Tally.Total() <= 0 || s.query.columnParts != nil && q.Column.Count < 0 {
			s.count = math.Inf(1)
		}
		tree.Segments = append(tree.Segments, &s)
	}
	p.Root, p.Index = tree, segments[0].For(q.Limit).Index
	missing := p.Want()
	for at := 0; at < len(tree.Segments); {
		limits := Together(tree.Segments[at:], missing)
		longest := 0.0
		for i, limit := range limits {
			s := tree.Segments[at+i]
			s.Plan = s.For(limit)
			s.Items = math.Floor(min(s.count, float64(missing)))
			s.Plan.expect(s.Items)
			if missing <= 0 {
				continue
			}
			p.Estimate.Units += s.Plan.Estimate.Units
			p.Estimate.Queries += s.Plan.Estimate.Queries
			p.Estimate.Discarded += s.Plan.Estimate.Discarded
			longest = max(longest, s.Plan.Estimate.RoundTrips)
			missing -= int(s.Items)
		}
		p.Estimate.RoundTrips += longest
		at += len(limits)
	}
	return p
}

// wanted returns the scans of partitions that contain nothing but wanted comments.
func (p *Plan) wanted() []*Scan {
	switch n := p.Root.(type) {
	case *Merge:
		return n.Scans
	case *Either:
		return n.Then.Scans
	}
	return nil
}

// expect limits the estimated items of a plan's scans.
func (p *Plan) expect(items float64) {
	sum := 0.0
	for use, s := range p.Scans() {
		if !use.Fallback {
			sum += s.Items
		}
	}
	for use, s := range p.Scans() {
		if use.Fallback {
			continue
		}
		if sum > items {
			s.Items *= items / sum
		}
		if items == 0 {
			s.Units = 0
		}
	}
}

// byRating returns the segments of a list by rating: in each the comments of one rating, by
// time.
func (q *Query) byRating() (segments []Segment) {
	ratings := q.Ratings.List()
	if len(ratings) == 0 {
		ratings = []int{1, 2, 3, 4, 5}
	}
	if !q.Order.Ascending {
		slices.Reverse(ratings)
	}
	for _, rating := range ratings {
		of := *q
		of.Ratings, of.Order, of.PowerSet = only(rating), Order{Ascending: q.Order.Ascending}, false
		segments = append(segments, Segment{Number: q.Order.SegmentOf(rating),
			What: "rating " + key.Ratings(only(rating)).String(), query: of})
	}
	return segments
}

// toRead returns the segments that the window can need, in reading direction.
func (q *Query) toRead(segments []Segment) []Segment {
	if q.Backward {
		slices.Reverse(segments)
	}
	return slices.DeleteFunc(segments, func(s Segment) bool {
		return q.After != nil && s.Number < *q.After || q.Before != nil && s.Number > *q.Before
	})
}
