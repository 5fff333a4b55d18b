package store

import (
	"context"
	"product-comments/store/index/cases"

	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
)

// Queue reads a window of a moderation queue, oldest first, with the current comments. It costs a
// read unit for each comment that it reads in addition to moderation.Page.
func (s *Store) Queue(ctx context.Context, q cases.Queue, w Window) (list.Page[Placed], error) {
	return s.placed(ctx, w, func(ctx context.Context, w Window) (list.Page[key.Position], error) {
		return s.moderation.Page(ctx, q, w)
	}, func(c *Comment) bool { return q.Has(&item.Stored{Comment: *c}) })
}

// EachQueued calls each with the comments of a moderation queue, oldest first, as they are at the
// time of the call. It returns the first error of each.
func (s *Store) EachQueued(ctx context.Context, q cases.Queue, each func(*Comment) error) error {
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
		switch n := len(page.Items); {
		case !page.HasNext:
			return nil
		case page.End != nil:
			w.After = page.End
		default:
			w.After = &page.Items[n-1].At
		}
	}
}
