package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/authors"
	"product-comments/store/item"
)

// Comments resolves User.comments.
func (r user) Comments(
	ctx context.Context, of *model.User, status *item.State, createdAfter, createdBefore *time.Time,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	if err := r.may(ctx, access.SeeOrders, of.Username); err != nil { // whatever led here
		return nil, err
	}
	f := authors.Filter{Author: of.Username, State: status, From: border(createdAfter), Before: border(createdBefore)}
	cursors := r.authoredCursors(f)
	w, err := parseWindow(cursors, first, after, last, before)
	if err != nil {
		return nil, separate(ctx, err)
	}
	page, err := r.Store.Authored(ctx, f, w)
	if err != nil {
		return nil, err
	}
	may := func(c *store.Comment) model.May { return r.mayChange(ctx, c.Owner) }
	return model.NewAuthoredConnection(page, may, cursors.Encode), nil
}
