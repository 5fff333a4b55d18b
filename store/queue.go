package store

import (
	"context"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/moderation"
)

// Queued is a comment in the queue of moderators, and its place there.
type Queued struct {
	Comment *Comment
	At      key.Position
}

// Queue reads a window of a part of the queue, oldest first, the comments as they are
// now: a read unit each, beside what moderation.Page says. One that left the part this
// moment is left out, so that the page may be shorter. It returns an Unavailable error if
// the store does not answer.
func (s *Store) Queue(ctx context.Context, q moderation.Queue, w Window) (list.Page[Queued], error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	places, err := s.moderation.Page(ctx, q, w)
	out := list.Page[Queued]{HasNext: places.HasNext, HasPrevious: places.HasPrevious}
	if err != nil {
		return out, err
	}
	ids := make([]string, len(places.Items))
	for i, at := range places.Items {
		ids[i] = at.CommentID
	}
	comments, err := s.GetMany(ctx, ids)
	for i, c := range comments {
		if c != nil && q.Has(&item.Stored{Comment: *c}) {
			out.Items = append(out.Items, Queued{c, places.Items[i]})
		}
	}
	return out, err
}
