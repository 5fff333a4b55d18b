package store

import (
	"context"

	"product-comments/store/comment/item"
)

// Delete removes a comment if the guard allows it; derived data follows by itself. It returns the
// deleted comment, the guard's error, or NotFound if there is none. Two concurrent deletions both
// succeed.
func (s *Store) Delete(ctx context.Context, id string, guard Guard) (Comment, error) {
	if err := item.ValidateCommentID("id", id); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, id, guard, func(context.Context, *item.Stored) (*item.Stored, extra, error) {
		return nil, extra{}, nil
	})
}
