package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
)

// Queue reads a window of a part of the queue of moderators, oldest first, the comments as
// they are now: a read unit each, beside what moderation.Page says. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Queue(ctx context.Context, q moderation.Queue, w Window) (list.Page[Placed], error) {
	return s.placed(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], error) {
		return s.moderation.Page(ctx, q, w)
	}, func(c *Comment) bool { return q.Has(&item.Stored{Comment: *c}) })
}
