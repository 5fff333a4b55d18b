package store

import (
	"context"
	"slices"

	"product-comments/store/key"
	"product-comments/store/key/list"
)

// Authored reads a window of a user's comments in all states, newest first, with the current
// comments. It costs a read unit for each comment in addition to authors.Page.
func (s *Store) Authored(ctx context.Context, f AuthoredFilter, w Window) (list.Page[Placed], error) {
	return s.placed(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], error) {
		return s.authors.Page(ctx, f, w)
	}, f.Has)
}

// AuthoredAbout reads a window of a user's comments about a product, newest first, with the
// current comments. It costs a read unit for each comment of the page and one more; with a state in
// the filter, for each in the window.
func (s *Store) AuthoredAbout(ctx context.Context, wrote Wrote, f AuthoredFilter, w Window) (list.Page[Placed], error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	places := slices.DeleteFunc(slices.Clone(wrote.Places), func(p key.Position) bool {
		return w.After != nil && key.Compare(p, *w.After) >= 0 || w.Before != nil && key.Compare(p, *w.Before) <= 0
	})
	if w.Backward {
		slices.Reverse(places)
	}
	if f.State == nil {
		places = places[:min(len(places), w.Limit+1)]
	}
	found, err := s.commentsAt(ctx, places, f.Has)
	return list.PageOf(w, found), err
}
