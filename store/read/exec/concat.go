package exec

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/read/plan"
)

// unread is a range of the list, and the positions in it that were not read yet.
type unread struct {
	*plan.Range
	within Range
}

// unreadRanges returns the ranges of a list that overlap the positions to read, in reading
// order.
func unreadRanges(ranges []*plan.Range, r Range) []unread {
	var out []unread
	for _, one := range ranges {
		in := Range{Descending: r.Descending, Backward: r.Backward}
		if r.After != nil {
			if ahead := one.Number - r.After.Range; ahead == 0 {
				in.After = r.After
			} else if ahead < 0 != r.Backward {
				continue
			}
		}
		if r.Until != nil {
			if ahead := r.Until.Range - one.Number; ahead == 0 {
				in.Until = r.Until
			} else if ahead < 0 != r.Backward {
				continue
			}
		}
		if !in.Empty() {
			out = append(out, unread{one, in})
		}
	}
	return out
}

// concat reads the ranges of a list in order until the page is complete. It reads the ranges
// that the plan expects to need in parallel.
func (x *executor[T]) concat(ctx context.Context, n *plan.Concat) error {
	rest := unreadRanges(n.Ranges, x.in)
	for len(rest) > 0 && x.missing() > 0 {
		ranges := make([]*plan.Range, len(rest))
		for i := range rest {
			ranges[i] = rest[i].Range
		}
		limits := plan.Together(ranges, x.missing())
		read, err := x.inParallel(ctx, rest[:len(limits)], limits)
		if err != nil {
			return err
		}
		done := 0
		for i, items := range read {
			more := len(items) > limits[i]
			fresh := unseen(x.out, items, rest[i].Number)
			if more && len(fresh) < x.missing() { // statistics overestimated the earlier ranges
				if limits[i] > 0 { // its last item shows that more follow, but need not be the next item
					x.out = append(x.out, unseen(x.out, items[:limits[i]], rest[i].Number)...)
					rest[i].within.After = &items[limits[i]-1].At
				} else if len(fresh) == 0 { // it moved here from a range that has shown it: continue after it
					rest[i].within.After = &items[len(items)-1].At
				}
				break
			}
			x.out = append(x.out, fresh[:min(len(fresh), x.missing())]...)
			if done++; x.missing() == 0 {
				break
			}
		}
		rest = rest[done:]
	}
	return nil
}

// inParallel reads the first items of several ranges in parallel.
func (x *executor[T]) inParallel(ctx context.Context, of []unread, limits []int) ([][]Item[T], error) {
	x.budget.readers = len(of)
	readers, nodes := make([]executor[T], len(of)), make([]plan.Node, len(of))
	group, ctx := errgroup.WithContext(ctx)
	for i, r := range of {
		nodes[i] = r.For(limits[i])
		readers[i] = executor[T]{from: x.from, want: limits[i] + 1, among: x.among, free: x.free, in: r.within,
			budget: x.budget}
		group.Go(func() error { return readers[i].pull(ctx, nodes[i]) })
	}
	err := group.Wait()
	read, longest := make([][]Item[T], len(of)), 0
	for i := range readers {
		r := &readers[i]
		for j := range r.out {
			r.out[j].At.Range = of[i].Number
		}
		read[i], longest = r.out, max(longest, r.cost.RoundTrips)
		x.cost.Spent.Add(r.cost.Spent)
		of[i].Did(nodes[i])
	}
	x.cost.RoundTrips += longest
	return read, err
}

// unseen returns the items of a range without comments that an earlier range has shown: they
// moved between the two reads.
func unseen[T any](shown, items []Item[T], number int) []Item[T] {
	if len(shown) == 0 || len(items) == 0 {
		return items
	}
	others := map[string]bool{}
	for i := range shown {
		if shown[i].At.Range != number {
			others[shown[i].At.CommentID] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(items), func(it Item[T]) bool { return others[it.At.CommentID] })
}
