package exec

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/plan"
)

// fit limits the next queries of sources to the page's remaining units. ok is false if these do
// not cover one item of each.
func (x *executor[T]) fit(dry []*source[T]) (ok bool) {
	begun := plan.LeastUnits * float64(len(dry)) // partly read blocks
	one, next := 0.0, 0.0
	for _, s := range dry {
		one += s.each()
		next += float64(s.limit) * s.each()
	}
	left := plan.Fill * (x.budget.share() - begun)
	if next > left {
		for _, s := range dry {
			s.limit = max(1, int(float64(s.limit)*left/next))
		}
	}
	return one <= left
}

// merge reads scans in parallel until the page is complete.
func (x *executor[T]) merge(ctx context.Context, n *plan.Merge) error {
	shown := make([]int, len(n.Scans)) // items shown of each scan, after a filtered read
	for _, item := range x.out {
		if part := n.Part(item.Language, item.Rating); part >= 0 {
			shown[part]++
		}
	}
	if x.out == nil {
		x.out = make([]Item[T], 0, x.want)
	}
	sources := make([]source[T], len(n.Scans))
	for i, read := range n.Scans {
		most := x.missing()
		if len(n.Scans) > 1 && shown[i] == len(x.out) && !read.Partition.Index.Apart() { // see toRead
			most = max(1, most-1)
		}
		s := source[T]{of: read, next: x.in.After, shown: shown[i]}
		s.limit = min(read.Limit, s.toRead(most))
		sources[i] = s
	}
	for {
		if err := x.refill(ctx, sources); err != nil {
			return err
		}
		for {
			s, dry := firstSource(sources, x.in.Descending)
			if dry {
				break
			}
			if s == nil {
				return nil
			}
			item := s.pop()
			if shown := len(x.out); shown > 0 && x.out[shown-1].SortKey == item.SortKey ||
				s.of.Partition.Index.Apart() && x.shows(item.At.CommentID) {
				continue
			}
			s.shown++
			if x.out = append(x.out, item); x.missing() == 0 {
				return nil
			}
		}
		if x.missing() == 1 && x.last(sources) {
			return nil
		}
		for i := range sources {
			sources[i].limit = sources[i].toRead(x.toRead(sources, i))
		}
	}
}

// shows reports whether the page already has a comment. A comment may for a moment be twice
// among the comments without a value: while an import changes its creation time and it gets its
// first value or loses its last one.
func (x *executor[T]) shows(commentID string) bool {
	return slices.ContainsFunc(x.out, func(it Item[T]) bool { return it.At.CommentID == commentID })
}

// toRead returns how many items of a source that ran dry the page can still need: all that it
// lacks. If all items shown are from this source and another source has an item, that item can
// show whether more follow: no partition is read beyond a page.
func (x *executor[T]) toRead(sources []source[T], i int) int {
	if sources[i].shown == len(x.out) && x.missing() > 1 && anyItems(sources) {
		return x.missing() - 1
	}
	return x.missing()
}

// last completes a page that lacks only the item that shows that more follow: the first item of
// any source, unless it is the page's last item again.
func (x *executor[T]) last(sources []source[T]) bool {
	for i := range sources {
		if len(sources[i].items) > 0 && (len(x.out) == 0 ||
			sources[i].items[0].SortKey != x.out[len(x.out)-1].SortKey) {
			x.out = append(x.out, sources[i].pop())
			return true
		}
	}
	return false
}

func anyItems[T any](sources []source[T]) bool {
	for i := range sources {
		if len(sources[i].items) > 0 {
			return true
		}
	}
	return false
}

// refill reads on in every source that ran dry, in parallel.
func (x *executor[T]) refill(ctx context.Context, sources []source[T]) error {
	var dry []*source[T]
	for i := range sources {
		if sources[i].dry() {
			dry = append(dry, &sources[i])
		}
	}
	if !x.fit(dry) {
		return ErrBound
	}
	batches := make([]Batch[T], len(dry))
	if len(dry) == 1 { // the usual case, without a goroutine
		var err error
		if batches[0], err = x.read(ctx, dry[0]); err != nil {
			return err
		}
	} else {
		group, ctx := errgroup.WithContext(ctx)
		for i, s := range dry {
			group.Go(func() (err error) {
				batches[i], err = x.read(ctx, s)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	x.cost.RoundTrips++
	for i, s := range dry {
		x.paid(s.of, batches[i])
		s.addBatch(batches[i])
	}
	return nil
}

// firstSource returns the source whose first item comes first, nil if all are exhausted. dry is
// true if a source must be refilled before that is known. There are rarely more than five
// sources, so comparing them all beats a heap.
func firstSource[T any](sources []source[T], descending bool) (first *source[T], dry bool) {
	for i := range sources {
		s := &sources[i]
		if s.dry() {
			return nil, true
		}
		if len(s.items) == 0 {
			continue
		}
		if first == nil || (s.items[0].SortKey > first.items[0].SortKey) == descending &&
			s.items[0].SortKey != first.items[0].SortKey {
			first = s
		}
	}
	return first, false
}
