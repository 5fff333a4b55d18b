package exec

import (
	"context"

	"golang.org/x/sync/errgroup"

	"product-comments/store/plan"
)

// stretch is a segment of the list, as far as it lies in the range and was not read.
type stretch struct {
	of plan.Segment
	in Range
}

// stretches returns the segments that a range has a part of, in reading order.
func stretches(segments []plan.Segment, r Range) []stretch {
	var out []stretch
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
			out = append(out, stretch{s, in})
		}
	}
	return out
}

// inTurn reads the segments of a list until the page is complete: one after the
// other, but those at once that the plan expects to need in any case.
func inTurn[T any](ctx context.Context, p plan.Plan, r Range, fetch Fetch[T]) ([]Item[T], Cost, error) {
	var cost Cost
	b := budget{bounded: p.Bound > 0, left: p.Bound}
	out := make([]Item[T], 0, p.Want())
	left := stretches(p.Segments, r)
	for len(left) > 0 && len(out) < p.Want() {
		limits := plan.Together(segmentsOf(left), p.Want()-len(out))
		b.readers = len(limits)
		read, spent, err := atOnce(ctx, left[:len(limits)], limits, &b, fetch)
		cost.Add(spent)
		if err != nil {
			return nil, cost, err
		}
		done := 0
		for i, items := range read {
			more := len(items) > limits[i]
			fresh := unseen(out, items, left[i].of.Number)
			if more && len(out)+len(fresh) < p.Want() { // statistics promised more of those before it
				if limits[i] > 0 { // the last one need not be the next one
					out = append(out, unseen(out, items[:limits[i]], left[i].of.Number)...)
					left[i].in.After = &items[limits[i]-1].At
				}
				break
			}
			out = append(out, fresh[:min(len(fresh), p.Want()-len(out))]...)
			if done++; len(out) == p.Want() {
				break
			}
		}
		left = left[done:]
	}
	return out, cost, nil
}

func segmentsOf(left []stretch) []plan.Segment {
	segments := make([]plan.Segment, len(left))
	for i := range left {
		segments[i] = left[i].of
	}
	return segments
}

// atOnce reads the first items of several segments in parallel.
func atOnce[T any](ctx context.Context, of []stretch, limits []int, b *budget, fetch Fetch[T]) ([][]Item[T], Cost, error) {
	read, costs := make([][]Item[T], len(of)), make([]Cost, len(of))
	group, ctx := errgroup.WithContext(ctx)
	for i := range of {
		group.Go(func() (err error) {
			read[i], costs[i], err = stretchOf(ctx, of[i].of.For(limits[i]), of[i].in, b, fetch)
			return err
		})
	}
	err := group.Wait()
	var sum Cost
	for i, c := range costs {
		c.RoundTrips, sum.RoundTrips = 0, max(sum.RoundTrips, c.RoundTrips)
		sum.Add(c)
		for j := range read[i] {
			read[i][j].At.Segment = of[i].of.Number
		}
	}
	return read, sum, err
}

// unseen returns the items of a segment but for those that a segment before it has
// shown: comments that moved from one to the other between the two reads.
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
