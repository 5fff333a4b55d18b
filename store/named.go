package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/own"
	"product-comments/store/stats"
)

// name returns the name of a write that takes a comment of a product from one state to
// another, nil for none, and is about to be tried. It returns an Unavailable error if
// the store does not answer.
func (s *Store) name(ctx context.Context, before, after *item.Stored) (item.Writes, error) {
	c, product := own.Change{Before: countedOf(before), After: countedOf(after)}, ""
	for _, state := range []*item.Stored{before, after} {
		if state != nil {
			c.CommentID, product = state.ID, state.ProductID
		}
	}
	var err error
	if c.Values, err = s.summaries.Change(ctx, before, after); err != nil {
		return "", err
	}
	if name, ok := s.statistics.Own().Try(product, c); ok {
		return item.Writes(name), nil
	}
	return item.NewWrite(s.t.Random()), nil
}

func countedOf(c *item.Stored) *stats.Counted {
	if c == nil {
		return nil
	}
	counted := c.Counted()
	return &counted
}

// acknowledged notes that a write with this name took effect, of a comment that
// was there before.
func (s *Store) acknowledged(before *item.Stored, name item.Writes) {
	s.statistics.Own().Acknowledge(before.ProductID, name.Last(), s.t.Now())
}
