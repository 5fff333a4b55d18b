package store

import (
	"context"
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
)

// Placed is a comment in a list that has places alone, and its place there.
type Placed struct {
	Comment *Comment
	At      key.Position
}

// placed reads a window of a list of places, with the comments as they are now. One that
// has left the list, as has says, since its place was read is left out, and others are
// read for it: so a page is shorter than asked for only if the list has no more. It
// returns an Unavailable error if the store does not answer.
func (s *Store) placed(
	ctx context.Context, w Window, places func(context.Context, Window) (list.Page[key.Position], error), has func(*Comment) bool,
) (out list.Page[Placed], err error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	whole := w
	for {
		page, err := places(ctx, w)
		if err != nil {
			return list.Page[Placed]{}, err
		}
		found, err := s.atPlaces(ctx, page.Items, has)
		if err != nil {
			return list.Page[Placed]{}, err
		}
		more := page.HasNext
		if w.Backward {
			more = page.HasPrevious
			out.Items = slices.Concat(found, out.Items)
		} else {
			out.Items = append(out.Items, found...)
		}
		if len(out.Items) == whole.Limit || len(page.Items) < w.Limit || !more {
			out.HasNext, out.HasPrevious = page.HasNext, page.HasPrevious
			if w.Backward {
				out.HasNext = whole.Before != nil
			} else {
				out.HasPrevious = whole.After != nil
			}
			return out, nil
		}
		if w.Limit = whole.Limit - len(out.Items); w.Backward {
			w.Before = &page.Items[0]
		} else {
			w.After = &page.Items[len(page.Items)-1]
		}
	}
}

// atPlaces reads the comments that are at places, and still belong there.
func (s *Store) atPlaces(ctx context.Context, places []key.Position, has func(*Comment) bool) (found []Placed, err error) {
	comments, err := s.GetMany(ctx, item.IDsAt(places))
	for i, c := range comments {
		if c != nil && c.Position().SortKey() == places[i].SortKey() && has(c) {
			found = append(found, Placed{c, places[i]})
		}
	}
	return found, err
}
