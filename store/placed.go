package store

import (
	"context"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
)

// Placed is a comment in a list that stores only positions, and its position there.
type Placed struct {
	Comment *Comment
	At      key.Position
}

// placed reads a window of a list that stores only positions, with the current comments. A comment
// that has left the list since, according to has, is skipped and another is read in its place: a
// page is shorter than its limit only at the end of the list.
func (s *Store) placed(
	ctx context.Context, w Window, places func(context.Context, Window) (list.Page[key.Position], error),
	has func(*Comment) bool,
) (out list.Page[Placed], err error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	out.HasNext, out.HasPrevious = w.Before != nil, w.After != nil
	for whole := w.Limit; ; {
		page, err := places(ctx, w)
		if err != nil {
			return list.Page[Placed]{}, err
		}
		found, err := s.commentsAt(ctx, page.Items, has)
		if err != nil {
			return list.Page[Placed]{}, err
		}
		ends := len(page.Items) < w.Limit
		if w.Backward {
			out.Items, out.HasPrevious = slices.Concat(found, out.Items), page.HasPrevious
			ends = ends || !page.HasPrevious
		} else {
			out.Items, out.HasNext = append(out.Items, found...), page.HasNext
			ends = ends || !page.HasNext
		}
		if w.Limit = whole - len(out.Items); w.Limit == 0 || ends {
			return out, nil
		}
		if w.Backward {
			w.Before = &page.Items[0]
		} else {
			w.After = &page.Items[len(page.Items)-1]
		}
	}
}

// commentsAt reads the comments at positions, without comments that are no longer in the list.
func (s *Store) commentsAt(ctx context.Context, places []key.Position,
	has func(*Comment) bool) (found []Placed, err error) {
	comments, err := s.GetMany(ctx, item.IDsAt(places))
	for i, c := range comments {
		if c != nil && c.Position().SortKey() == places[i].SortKey() && has(c) {
			found = append(found, Placed{c, places[i]})
		}
	}
	return found, err
}
