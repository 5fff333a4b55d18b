package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/authors"
	"product-comments/store/cursor"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/orders"
)

// User resolves Query.user.
func (r query) User(ctx context.Context, username string) (*model.User, error) {
	name, err := parseUsername(ctx, "username", username)
	if err != nil {
		return nil, err
	}
	if err := r.authorize(ctx, access.SeeOrders, name); err != nil {
		return nil, err
	}
	return r.user(ctx, name)
}

// user returns a user that the viewer may see; nil if there is none.
func (r *Resolver) user(ctx context.Context, name string) (*model.User, error) {
	u, err := loadersOf(ctx).user(ctx, name)
	if err != nil || u == nil {
		return nil, err
	}
	return &model.User{Username: name}, nil
}

// CreatedAt resolves User.createdAt.
func (user) CreatedAt(ctx context.Context, of *model.User) (*time.Time, error) {
	u, err := loadersOf(ctx).user(ctx, of.Username)
	if err != nil || u == nil || u.Created.IsZero() {
		return nil, err
	}
	return &u.Created, nil
}

// Orders resolves User.orders.
func (r user) Orders(
	ctx context.Context, of *model.User, status *orders.Status, shippedAfter, shippedBefore *time.Time,
	first *int, after *string, last *int, before *string,
) (*model.OrderConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Username); err != nil { // any field may lead here
		return nil, err
	}
	f := orders.Filter{Username: of.Username, Status: orZero(status), From: border(shippedAfter),
		Before: border(shippedBefore)}
	read := func(w orderWindow) (orders.Page, error) { return r.Store.Orders().List(ctx, f, w) }
	return r.orders(ctx, f.Scope(), first, after, last, before, read)
}

// Comments resolves User.comments.
func (r user) Comments(
	ctx context.Context, of *model.User, status *item.State, createdAfter, createdBefore *time.Time,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Username); err != nil { // any field may lead here
		return nil, err
	}
	f := authors.Filter{Author: of.Username, State: status, From: border(createdAfter), Before: border(createdBefore)}
	may := func(c *store.Comment) model.May { return r.permissions(ctx, c.Owner) }
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.CommentConnection, error) {
		page, err := r.Store.Authored(ctx, f, w)
		return model.NewAuthoredConnection(page, may, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Authored, f.Scope(), first, after, last, before, read)
}

// border returns a time that limits a list; zero for null.
func border(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return item.Border(*at)
}
