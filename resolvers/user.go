package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store/item"
	"product-comments/store/orders"
)

// User resolves Query.user.
func (r query) User(ctx context.Context, username string) (*model.User, error) {
	name, err := parseUsername(ctx, "username", username)
	if err != nil {
		return nil, err
	}
	if err := r.may(ctx, access.SeeOrders, name); err != nil {
		return nil, err
	}
	return r.user(ctx, name)
}

// user returns somebody whom the viewer may see, nil if nothing is known of them.
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
	if err := r.may(ctx, access.SeeOrders, of.Username); err != nil { // whatever led here
		return nil, err
	}
	f := orders.Filter{Username: of.Username, Status: orZero(status), From: border(shippedAfter), Before: border(shippedBefore)}
	cursors := r.orderCursors(f.Scope())
	w, err := parseWindow(cursors, first, after, last, before)
	if err != nil {
		return nil, separate(ctx, err)
	}
	page, err := r.Store.Orders().Of(ctx, f, w)
	if err != nil {
		return nil, err
	}
	return model.NewOrderConnection(&page, cursors.Encode), nil
}

// border returns a time that a list begins or ends at, zero for null.
func border(at *time.Time) time.Time {
	if at == nil {
		return time.Time{}
	}
	return item.Border(*at)
}
