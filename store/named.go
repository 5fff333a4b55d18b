package store

import (
	"product-comments/store/item"
	"product-comments/store/own"
	"product-comments/store/stats"
)

// name returns the name of a write that takes a comment from one state to another,
// nil for none, and is about to be tried.
func (s *Store) name(before, after *item.Stored) item.Writes {
	c, product := own.Change{Before: countedOf(before), After: countedOf(after)}, ""
	for _, state := range []*item.Stored{before, after} {
		if state != nil {
			c.CommentID, product = state.ID, state.ProductID
		}
	}
	if name, ok := s.statistics.Own().Try(product, c); ok {
		return item.Writes(name)
	}
	return item.NewWrite(s.t.Random())
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
