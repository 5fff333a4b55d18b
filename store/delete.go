package store

import (
	"context"

	"product-comments/store/comment/item"
)

// Delete removes a comment if the guard allows it; derived data follows by itself. It returns the
// deleted comment, the guard's error, or NotFound if there is none. Two concurrent deletions both
// succeed. Reports of moderation count the comment as removed by the shop.
func (s *Store) Delete(ctx context.Context, id string, guard Guard) (Comment, error) {
	return s.DeleteBy(ctx, id, "", guard)
}

// DeleteBy is Delete by a person. If that is the owner, reports of moderation count the comment as
// withdrawn.
func (s *Store) DeleteBy(ctx context.Context, id, by string, guard Guard) (Comment, error) {
	if err := item.ValidateCommentID("id", id); err != nil {
		return Comment{}, err
	}
	return s.edit(ctx, id, guard, func(_ context.Context, before *item.Stored) (*item.Stored, extra, error) {
		if by != "" && by == before.Owner {
			return nil, extra{left: item.Withdrawn}, nil
		}
		return nil, extra{left: item.Removed}, nil
	})
}
