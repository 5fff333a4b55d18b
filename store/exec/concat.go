package exec

import (
	"context"

	"golang.org/x/sync/errgroup"

	"product-comments/store/plan"
)

// unread is the part of a segment within the range that was not read yet.
type unread struct {
	segment *plan.Segment
	within  Range
}

// unreadSegments returns the segments that overlap a range, in reading order.
func unreadSegments(segments []*plan.Segment, r Range) []unread {
	var out []unread
	for _, s := range segments {
		in := Range{Descending: r.Descending, Backward: r.Backward}
		if r.After != nil {
			if ahead := s.Number - r.After.Segment; ahead == 0 {
				in.After = r.After
			} else if ahead < 0 != r.Backward {
				continue
			}
		}
		if r.Until != nil {
			if ahead := r.Until.Segment - s.Number; ahead == 0 {
				in.Until = r.Until
			} else if ahead < 0 != r.Backward {
				continue
			}
		}
		if !in.Empty() {
			out = append(out, unread{s, in})
		}
	}
	return out
}

// concat reads the segments of a list until the page is complete: one after the other, but in
// parallel the ones that the plan expects to need.
func (x *executor[T]) concat(ctx context.Context, n *plan.Concat) error {
	left := unreadSegments(n.Segments, x.in)
	for len(left) > 0 && x.missing() > 0 {
		segments := make([]*plan.Segment, len(left))
		for i := range left {
			segments[i] = left[i].segment
		}
		limits := plan.Together(segments, x.missing())
		read, err := x.atOnce(ctx, left[:len(limits)], limits)
		if err != nil {
			return err
		}
		done := 0
		for i, items := range read {
			more := len(items) > limits[i]
			fresh := unseen(x.out, items, left[i].segment.Number)
			if more && len(fresh) < x.missing() { // statistics overestimated the earlier segments
				if limits[i] > 0 { // its last item shows that more follow, but need not be the next item
					x.out = append(x.out, unseen(x.out, items[:limits[i]], left[i].segment.Number)...)
					left[i].within.After = &items[limits[i]-1].At
				} else if len(fresh) == 0 { // it moved here from a segment that has shown it: continue after it
					left[i].within.After = &items[len(items)-1].At
				}
				break
			}
			x.out = append(x.out, fresh[:min(len(fresh), x.missing())]...)
			if done++; x.missing() == 0 {
				break
			}
		}
		left = left[done:]
	}
	return nil
}

// atOnce reads the first items of several segments in parallel.
func (x *executor[T]) atOnce(ctx context.Context, of []unread, limits []int) ([][]Item[T], error) {
	x.budget.readers = len(of)
	readers, plans := make([]executor[T], len(of)), make([]*plan.Plan, len(of))
	group, ctx := errgroup.WithContext(ctx)
	for i, s := range of {
		plans[i] = s.segment.For(limits[i])
		readers[i] = executor[T]{from: x.from, want: limits[i] + 1, among: x.among, free: x.free, in: s.within,
			budget: x.budget}
		group.Go(func() error { return readers[i].pull(ctx, plans[i].Root) })
	}
	err := group.Wait()
	read, longest := make([][]Item[T], len(of)), 0
	for i := range readers {
		r := &readers[i]
		for j := range r.out {
			r.out[j].At.Segment = of[i].segment.Number
		}
		read[i], longest = r.out, max(longest, r.cost.RoundTrips)
		x.cost.Spent.Add(r.cost.Spent)
		of[i].segment.Did(plans[i])
	}
	x.cost.RoundTrips += longest
	return read, err
}

// unseen returns the items of a segment without comments that an earlier segment has shown:
// they moved between the two reads.
func unseen[T any](shown, items []Item[T], segment int) []Item[T] {
	if len(shown) == 0 || len(items) == 0 {
		return items
	}
	others := map[string]bool{}
	for i := range shown {
		if shown[i].At.Segment != segment {
			others[shown[i].At.CommentID] = true
		}
	}
	fresh := items[:0:0]
	for _, item := range items {
		if !others[item.At.CommentID] {
			fresh = append(fresh, item)
		}
	}
	return fresh
}
