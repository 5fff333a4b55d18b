package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/table"
)

// Delete removes a comment; the indexes follow by themselves. It returns the
// comment as it was, NotFound if there is none, and Unavailable if the store
// does not answer. Of two deletions at once both succeed.
func (s *Store) Delete(ctx context.Context, id string) (Comment, error) {
	return s.DeleteIf(ctx, id, nil)
}

// DeleteIf is Delete of a comment that the guard allows to be deleted; it returns
// the guard's error otherwise.
func (s *Store) DeleteIf(ctx context.Context, id string, guard Guard) (c Comment, err error) {
	if err := item.ValidateCommentID("id", id); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	ctx, charge := discreetly(ctx, noComment)
	defer func() { charge(err) }()
	began := s.recent.Begin()
	old, err := s.getItem(ctx, id)
	if err != nil {
		return Comment{}, err
	}
	if old == nil {
		return Comment{}, item.NotFound(id)
	}
	for pause := s.t.NewRace(); ; {
		before, err := s.read(ctx, old)
		if err != nil {
			return Comment{}, err
		}
		if err := guard.check(&before); err != nil {
			return Comment{}, err
		}
		w := &write{began, &before, nil}
		us, err := s.name(ctx, w)
		if err != nil {
			return Comment{}, err
		}
		stands, refused, err := s.remove(ctx, old, &before, us)
		if err != nil {
			return before.Comment, err
		}
		if !refused || item.WritesOf(stands).Has(us) { // the latter if the answer was lost
			return before.Comment, s.acknowledged(ctx, w, us.Last())
		}
		if stands == nil || item.IsDeleted(stands) { // by somebody else
			return before.Comment, nil
		}
		old = stands
		if err := pause.Wait(ctx); err != nil {
			return Comment{}, table.Failed("delete the comment", err)
		}
	}
}

// remove deletes a comment if it is as it was read.
func (s *Store) remove(ctx context.Context, old table.Item, before *item.Stored, us item.Writes) (stands table.Item, refused bool, err error) {
	defer s.wrote(before.ProductID)
	w := item.IfSameGeneration(table.Write{Put: item.Deleted(old, before, us, s.t.Now())}, old)
	return s.replaceMarked(ctx, "delete the comment", w, item.MarkChange(before, nil))
}

// replaceMarked changes a comment's item, on a condition, and its mark with it.
// refused tells that the condition did not hold; stands is the item then.
func (s *Store) replaceMarked(ctx context.Context, what string, w table.Write, mark []table.Write) (stands table.Item, refused bool, err error) {
	if len(mark) == 0 {
		err = s.t.Write(ctx, what, w)
		if stands, refused = table.IsRefused(err); refused {
			return stands, true, nil
		}
		return nil, false, err
	}
	err = s.t.Transact(ctx, what, append([]table.Write{w}, mark...)...)
	if _, refused = table.IsRefused(err); !refused {
		return nil, false, err
	}
	primary := w.Key
	if w.Put != nil {
		primary = table.Primary(w.Put)
	}
	stands, err = s.t.Get(ctx, "the comment", primary)
	return stands, true, err
}
