package store

import (
	"context"

	"product-comments/store/authors"
	"product-comments/store/key"
	"product-comments/store/list"
)

// Authored is a comment among those of its author, and its place there.
type Authored struct {
	Comment *Comment
	At      key.Position
}

// Authored reads a window of what somebody wrote, in whatever state it is, newest first,
// the comments as they are now: a read unit each, beside what authors.Page says. One that
// was deleted or left the state this moment is left out, so that the page may be shorter.
// It returns an Unavailable error if the store does not answer.
func (s *Store) Authored(ctx context.Context, f authors.Filter, w Window) (list.Page[Authored], error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	places, err := s.authors.Page(ctx, f, w)
	out := list.Page[Authored]{HasNext: places.HasNext, HasPrevious: places.HasPrevious}
	if err != nil {
		return out, err
	}
	ids := make([]string, len(places.Items))
	for i, at := range places.Items {
		ids[i] = at.CommentID
	}
	comments, err := s.GetMany(ctx, ids)
	for i, c := range comments {
		if c != nil && f.Has(c) {
			out.Items = append(out.Items, Authored{c, places.Items[i]})
		}
	}
	return out, err
}
