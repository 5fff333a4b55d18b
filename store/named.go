package store

import (
	"context"

	"product-comments/store/columns"
	"product-comments/store/item"
	"product-comments/store/own"
	"product-comments/store/stats"
)

// write is one of this process that takes a comment of a product from one state to
// another, nil for none. What is not published is none to all but whose it is.
type write struct {
	began         uint64 // before what it rests on was read, see recent.Comments
	before, after *item.Stored
}

// shown returns what everybody sees of both states.
func (w *write) shown() (before, after *item.Stored) { return w.before.OrHidden(), w.after.OrHidden() }

// comment returns the comment, before or after.
func (w *write) comment() *item.Stored {
	if w.after != nil {
		return w.after
	}
	return w.before
}

// name returns the name of a write that is about to be tried. It returns an Unavailable
// error if the store does not answer.
func (s *Store) name(ctx context.Context, w *write) (item.Writes, error) {
	before, after := w.shown()
	c, product := own.Change{CommentID: w.comment().ID, Made: w.before == nil, Before: countedOf(before), After: countedOf(after), Bare: !hasColumns(after)}, w.comment().ProductID
	var err error
	if c.Values, err = s.summaries.Change(ctx, before, after); err != nil {
		return "", err
	}
	if name, ok := s.statistics.Own().Try(product, c); ok {
		return item.Writes(name), nil
	}
	if hasColumns(before) || hasColumns(after) {
		return item.Writes(s.statistics.Own().Name(product)), nil
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

// hasColumns tells whether columns have entries of a comment.
func hasColumns(c *item.Stored) bool { return c != nil && c.Defined != "" }

// acknowledged notes that a write with this name took effect. It returns an
// Unavailable error if the store does not answer.
func (s *Store) acknowledged(ctx context.Context, w *write, name own.Name) error {
	s.statistics.Own().Acknowledge(w.comment().ProductID, name, s.t.Now())
	if before, after := w.shown(); !hasColumns(before) && !hasColumns(after) {
		return nil
	}
	defer s.wrote(w.comment().ProductID) // pages that are under way do not show it
	return s.left(ctx, w, name)
}

// left notes how a write with a name left a comment, for the orders of this process. If
// another one of its writes came meanwhile, it reads how the comment is by now. It
// returns an Unavailable error if the store does not answer.
func (s *Store) left(ctx context.Context, w *write, name own.Name) error {
	c := w.comment()
	product, id, generation := c.ProductID, c.ID, c.Generation
	for state, began := w.after.OrHidden(), w.began; ; {
		var row *item.Stored
		if state != nil {
			var err error
			if row, err = columns.RowOf(state); err != nil {
				return err
			}
		}
		if s.recent.Left(product, id, began, name, generation, state, row, s.t.Now()) {
			return nil
		}
		var err error
		if state, began, err = s.now(ctx, product, id); err != nil {
			return err
		}
	}
}

// now reads a comment as it is, nil if the product shows none such; began is a moment
// before that.
func (s *Store) now(ctx context.Context, product, id string) (state *item.Stored, began uint64, err error) {
	began = s.recent.Begin()
	it, err := s.getItem(ctx, id)
	if err != nil || it == nil {
		return nil, began, err
	}
	c, err := s.read(ctx, it)
	if err != nil || c.ProductID != product || c.State != item.Published {
		return nil, began, err
	}
	return &c, began, nil
}
