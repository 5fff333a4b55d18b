package store

import (
	"context"

	"product-comments/store/authors"
	"product-comments/store/key"
	"product-comments/store/list"
)

// Authored reads a window of a user's comments in all states, newest first, with the current
// comments. It costs a read unit for each comment in addition to authors.Page. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Authored(ctx context.Context, f authors.Filter, w Window) (list.Page[Placed], error) {
	return s.placed(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], error) {
		return s.authors.Page(ctx, f, w)
	}, f.Has)
}
