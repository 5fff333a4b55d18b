package exec

import (
	"context"
	"math"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// source is what was read of one partition and not yet shown.
type source[T any] struct {
	of        *plan.Scan
	items     []Item[T]
	next      *key.Position // where the next query starts
	exhausted bool
	limit     int // of the next query
	shown     int // items that the page has of it
	evaluated int // items that were read of it
	found     int // of them that are wanted
	units     float64
}

// dry reports whether only another query can say what comes next.
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

// each is what reading an item costs, judged by what was planned and by what was paid so
// far.
func (s *source[T]) each() float64 {
	return (s.units + prior*s.of.Each) / (float64(s.evaluated) + prior)
}

func (s *source[T]) pop() Item[T] {
	item := s.items[0]
	s.items = s.items[1:]
	return item
}

const (
	// prior is how many items the plan's share weighs against the items that were read.
	prior = 8
	// mostAtOnce bounds a query that looks for rare items, and unitsAtOnce what it should
	// cost.
	mostAtOnce  = 500
	unitsAtOnce = 25
)

// toRead is how many items to read next to find so many that are wanted, judged by
// what was planned and by what was found so far.
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
