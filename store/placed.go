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

// placed reads a window of a list that stores only positions, with the current comments that has
// selects: a comment may have left the list since. See sift.
func (s *Store) placed(
	ctx context.Context, w Window, places func(context.Context, Window) (list.Page[key.Position], error),
	has func(*Comment) bool,
) (list.Page[Placed], error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return sift(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], []Placed, error) {
		page, err := places(ctx, w)
		if err != nil {
			return page, nil, err
		}
		found, err := s.commentsAt(ctx, page.Items, has)
		return page, found, err
	})
}

// mostSifted is the number of items that sift reads at most for a page.
const mostSifted = 500

// sift reads a window of a list of which some items are left out. read reads a window of all: the
// positions, and the items that are not left out. For items that are left out it reads further
// ones, more at once where few remain: a page is shorter than its limit only at the end of the list, or
// if mostSifted were read. HasNext and HasPrevious report whether there is more to read.
func sift[T any](ctx context.Context, w Window,
	read func(context.Context, Window) (all list.Page[key.Position], left []T, err error)) (out list.Page[T], err error) {
	out.HasNext, out.HasPrevious = w.Before != nil, w.After != nil
	end, more, stop := &w.After, &out.HasNext, &out.End
	if w.Backward {
		end, more, stop = &w.Before, &out.HasPrevious, &out.Start
	}
	whole, budget := w.Limit, mostSifted
	for {
		all, found, err := read(ctx, w)
		if err != nil {
			return list.Page[T]{}, err
		}
		n := len(all.Items)
		if *more = all.HasNext; w.Backward {
			*more = all.HasPrevious
			slices.Reverse(all.Items)
			slices.Reverse(found)
		}
		out.Items = append(out.Items, found...)
		if budget -= n; len(out.Items) >= whole || n < w.Limit || !*more {
			break
		}
		if *end = &all.Items[n-1]; budget == 0 {
			*stop = *end
			break
		}
		if w.Limit = whole - len(out.Items); len(found) < n/2 {
			w.Limit = min(2*n, MaxBatchGet)
		}
		w.Limit = min(w.Limit, budget)
	}
	*more = *more || len(out.Items) > whole
	out.Items = out.Items[:min(len(out.Items), whole)]
	if w.Backward {
		slices.Reverse(out.Items)
	}
	return out, nil
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
