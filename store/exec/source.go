package exec

import (
	"context"

	"product-comments/store/key"
)

// source is what was read of one partition and not yet shown.
type source[T any] struct {
	partition key.Partition
	items     []Item[T]
	next      *key.Position // where the next query starts
	exhausted bool
	limit     int // of the next query
	units     float64
}

// dry tells whether only another query can say what comes next.
func (s *source[T]) dry() bool { return len(s.items) == 0 && !s.exhausted }

func (s *source[T]) fill(ctx context.Context, r Range, fetch Fetch[T]) error {
	batch, err := fetch(ctx, Request{
		Partition: s.partition,
		Range:     Range{After: s.next, Until: r.Until, Descending: r.Descending},
		Limit:     s.limit,
	})
	if err != nil {
		return err
	}
	s.items, s.next, s.exhausted, s.units = batch.Items, batch.Next, batch.Next == nil, batch.Units
	return nil
}

func (s *source[T]) pop() Item[T] {
	item := s.items[0]
	s.items = s.items[1:]
	return item
}
