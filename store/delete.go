package store

import (
	"context"

	"product-comments/store/item"
)

// Delete removes a comment that the guard allows to be deleted; the indexes follow by
// themselves. It returns the deleted comment, the guard's error, NotFound if there is
// none, and Unavailable if the store does not answer. Of two deletions at once both
// succeed.
func (s *Store) Delete(ctx context.Context, id string, guard Guard) (Comment, error) {
	if err := item.ValidateCommentID("id", id); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, id, guard, func(context.Context, *item.Stored) (*item.Stored, extra, error) {
		return nil, extra{}, nil
	})
}
