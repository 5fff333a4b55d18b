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
func (r query) User(ctx context.Context, id string) (*model.User, error) {
	name, err := parseUsername(ctx, "id", id)
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
	return &model.User{Subject: name}, nil
}

// CreatedAt resolves User.createdAt.
func (user) CreatedAt(ctx context.Context, of *model.User) (*time.Time, error) {
	u, err := loadersOf(ctx).user(ctx, of.Subject)
	if err != nil || u == nil || u.Created.IsZero() {
		return nil, err
	}
	return &u.Created, nil
}

// Orders resolves User.orders.
func (r user) Orders(
	ctx context.Context, of *model.User, filter *model.OrderFilter,
	first *int, after *string, last *int, before *string,
) (*model.OrderConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Subject); err != nil { // any field may lead here
		return nil, err
	}
	in := orZero(filter)
	f := orders.Filter{Username: of.Subject, Status: orZero(in.Status), From: border(in.ShippedAfter),
		Before: border(in.ShippedBefore)}
	read := func(w orderWindow) (orders.Page, error) { return r.Store.Orders().List(ctx, f, w) }
	return r.orders(ctx, f.Scope(), first, after, last, before, read)
}

// Comments resolves User.comments.
func (r user) Comments(
	ctx context.Context, of *model.User, filter *model.AuthoredCommentFilter,
	first *int, after *string, last *int, before *string,
) (*model.CommentConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Subject); err != nil { // any field may lead here
		return nil, err
	}
	in := orZero(filter)
	f := authors.Filter{Author: of.Subject, State: in.State, From: border(in.CreatedAfter),
		Before: border(in.CreatedBefore)}
	may := func(c *store.Comment) model.May { return r.permissions(ctx, c.Owner) }
	read := func(w list.Window[key.Position], cursorOf model.CursorOf[key.Position]) (*model.CommentConnection, error) {
		page, err := r.Store.Authored(ctx, f, w)
		return model.NewAuthoredConnection(page, may, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Authored, f.Scope(), nil, first, after, last, before, read)
}

// border returns a time that limits a list; zero for null.
func border(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return item.Border(*at)
}
