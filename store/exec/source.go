package exec

import (
	"context"
	"math"

	"product-comments/store/key"
	"product-comments/store/plan"
)

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
// to find so many that pass.
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
