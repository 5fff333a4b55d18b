package store

import (
	"context"
	"crypto/rand"
	"time"

	"product-comments/store/table"
)

// onceItem returns the item that records that something happened, until a time. Its text cannot be one of
// an idempotencyItem, whose product has an id.
func onceItem(what, by string, until time.Time) table.Item {
	return memoryItem("\x00once\x00"+what, by, until)
}

// Once records for all processes that something happens, and reports whether it is the first time. It is
// remembered until a time at least.
func (s *Store) Once(ctx context.Context, what string, until time.Time) (first bool, err error) {
	it := onceItem(what, rand.Text(), until)
	err = s.t.Write(ctx, "record what happens once", table.Write{Put: it, If: table.Absent})
	if before, refused := table.IsRefused(err); refused { // by another call, or by this one, whose answer was lost
		return table.Text(before, attrCommentID) == table.Text(it, attrCommentID), nil
	}
	return err == nil, err
}

// Happened reports whether Once has recorded something.
func (s *Store) Happened(ctx context.Context, what string) (bool, error) {
	it, err := s.t.Get(ctx, "what happened once", table.Primary(onceItem(what, "", time.Time{})))
	return it != nil, err
}
