package exec

import (
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// either reads the larger partition while the plan says so, and then merges the smaller
// partitions from there on.
func (x *executor[T]) either(ctx context.Context, n *plan.Either) error {
	at := plan.Progress{FoundBytes: make([]int, len(n.Then.Scans))}
	for limit := n.First.Limit; limit > 0; limit = n.ReadOn(at) {
		b, err := x.scan(ctx, n.First, x.in, limit)
		if err != nil {
			return err
		}
		x.paid(n.First, b)
		x.cost.RoundTrips++
		at.Evaluated += max(b.Evaluated, len(b.Items))
		at.Found += len(b.Items)
		at.Blocks += int(b.Units * 2)
		for _, item := range b.Items {
			if i := n.Then.Partition(item.Language, item.Rating); i >= 0 {
				at.FoundBytes[i] += item.Size
			}
		}
		x.out = append(x.out, b.Items[:min(len(b.Items), x.missing())]...)
		if x.missing() == 0 || b.Next == nil {
			return nil
		}
		x.in.After = b.Next
	}
	return x.merge(ctx, n.Then)
}

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
		if i := n.Partition(item.Language, item.Rating); i >= 0 {
			shown[i]++
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

// toRead returns how many items of a source that ran dry the page can still need: all missing
// ones. If all items shown are from this source and another source has an item, that item can
// show whether more follow: no partition is read beyond a page.
func (x *executor[T]) toRead(sources []source[T], i int) int {
	if sources[i].shown == len(x.out) && x.missing() > 1 &&
		slices.ContainsFunc(sources, func(s source[T]) bool { return len(s.items) > 0 }) {
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
		group.SetLimit(plan.MostParallel)
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
	x.cost.RoundTrips += plan.Trips(len(dry))
	for i, s := range dry {
		x.paid(s.of, batches[i])
		s.addBatch(batches[i])
	}
	return nil
}

// firstSource returns the source of the page's next item, nil if all are exhausted. dry is true
// if a source must be refilled before that is known. There are rarely more than five sources,
// so comparing them all beats a heap.
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

// source has the items of one partition that were read and not yet shown.
type source[T any] struct {
	of        *plan.Scan
	items     []Item[T]
	next      *key.Position // where the next query starts
	exhausted bool
	limit     int // of the next query
	shown     int // its items on the page
	evaluated int // items evaluated
	found     int // items that pass
	units     float64
}

// dry reports whether the source needs another query to know its next item.
func (s *source[T]) dry() bool { return len(s.items) == 0 && !s.exhausted }

func (x *executor[T]) read(ctx context.Context, s *source[T]) (Batch[T], error) {
	in := x.in
	in.After = s.next
	return x.scan(ctx, s.of, in, s.limit)
}

func (s *source[T]) addBatch(b Batch[T]) {
	s.items, s.next, s.exhausted = b.Items, b.Next, b.Next == nil
	s.evaluated += max(b.Evaluated, len(b.Items))
	s.found += len(b.Items)
	s.units += b.Units
}

// each estimates the cost of an item from the plan and from the cost so far.
func (s *source[T]) each() float64 {
	if s.of.Most > 0 {
		return s.of.Most
	}
	return (s.units + prior*s.of.Each) / (float64(s.evaluated) + prior)
}

func (s *source[T]) pop() Item[T] {
	item := s.items[0]
	s.items = s.items[1:]
	return item
}

const (
	// prior is the weight of the plan's share, in items, against the items that were read.
	prior = 8
	// mostAtOnce bounds a query for rare items, and unitsAtOnce its estimated cost.
	mostAtOnce  = 500
	unitsAtOnce = 25
)

// toRead estimates, from the plan and from the items found so far, how many items to read next
// to find the wanted number of items that pass.
func (s *source[T]) toRead(wanted int) int {
	if s.of.Only.Any() {
		return wanted
	}
	most := int(min(mostAtOnce, unitsAtOnce/s.each()))
	share := (float64(s.found) + prior*s.of.Share) / (float64(s.evaluated) + prior)
	if share*float64(most) <= float64(wanted) {
		return max(wanted, most)
	}
	return int(math.Ceil(float64(wanted) / share))
}
