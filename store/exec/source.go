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
	shown     int // items that the page has of it
}

// dry tells whether only another query can say what comes next.
func (s *source[T]) dry() bool { return len(s.items) == 0 && !s.exhausted }

func (s *source[T]) read(ctx context.Context, in Range, fetch Fetch[T]) (Batch[T], error) {
	in.After = s.next
	return fetch(ctx, Request{Partition: s.partition, Range: in, Limit: s.limit})
}

func (s *source[T]) take(b Batch[T]) { s.items, s.next, s.exhausted = b.Items, b.Next, b.Next == nil }

func (s *source[T]) pop() Item[T] {
	item := s.items[0]
	s.items = s.items[1:]
	return item
}
