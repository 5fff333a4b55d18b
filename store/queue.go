package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
)

// Queue reads a window of a part of the queue of moderators, oldest first, the comments as
// they are now: a read unit each, besides what moderation.Page says. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Queue(ctx context.Context, q moderation.Queue, w Window) (list.Page[Placed], error) {
	return s.placed(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], error) {
		return s.moderation.Page(ctx, q, w)
	}, func(c *Comment) bool { return q.Has(&item.Stored{Comment: *c}) })
}

// EachQueued calls each with the comments of a part of the queue, oldest first, as they are
// then. It returns the first error of each, or an Unavailable error if the store does not
// answer.
func (s *Store) EachQueued(ctx context.Context, q moderation.Queue, each func(*Comment) error) error {
	for w := (Window{Limit: MaxBatchGet}); ; {
		page, err := s.Queue(ctx, q, w)
		if err != nil {
			return err
		}
		for _, p := range page.Items {
			if err := each(p.Comment); err != nil {
				return err
			}
		}
		if !page.HasNext || len(page.Items) == 0 {
			return nil
		}
		w.After = &page.Items[len(page.Items)-1].At
	}
}
