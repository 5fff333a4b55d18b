package resolvers

import (
	"context"
	"time"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/key/list"
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
	ctx context.Context, of *model.User, in model.WindowArguments, filter *model.OrderFilter,
) (*model.OrderConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Subject); err != nil { // any field may lead here
		return nil, err
	}
	given := orZero(filter)
	f := orders.Filter{Username: of.Subject, Status: orZero(given.Status), From: item.Border(given.ShippedAfter),
		Before: item.Border(given.ShippedBefore)}
	read := func(w orderWindow) (orders.Page, error) { return r.Store.Orders().List(ctx, f, w) }
	return r.orders(ctx, f.Scope(), in, read)
}

// Comments resolves User.comments.
func (r user) Comments(
	ctx context.Context, of *model.User, in model.WindowArguments, filter *model.AuthoredCommentFilter,
) (*model.CommentConnection, error) {
	if err := r.authorize(ctx, access.SeeOrders, of.Subject); err != nil { // any field may lead here
		return nil, err
	}
	given := orZero(filter)
	tag, wrong := item.AnyLanguage("filter.language", given.Language)
	conditions, unfit := parseConditions(nil, given.Ratings, given.WithPhotos, given.Words)
	f := store.AuthoredFilter{Author: of.Subject, State: given.State, From: item.Border(given.CreatedAfter),
		Before: item.Border(given.CreatedBefore), Language: tag, Conditions: conditions}
	return r.authored(ctx, f.Scope(), errs.Join(wrong, unfit), in, func(w store.Window) (list.Page[store.Placed], error) {
		return r.Store.Authored(ctx, f, w)
	})
}

// ViewerComments resolves Product.viewerComments.
func (r product) ViewerComments(
	ctx context.Context, of *model.Product, in model.WindowArguments, state *item.State,
) (*model.CommentConnection, error) {
	f := store.AuthoredFilter{Author: access.From(ctx).Subject, State: state}
	if f.Author == "" {
		return nil, nil
	}
	scope := f.Scope() + "\x00" + of.ProductID
	return r.authored(ctx, scope, nil, in, func(w store.Window) (list.Page[store.Placed], error) {
		wrote, err := loadersOf(ctx).wrote(ctx, of.ProductID)
		if err != nil {
			return list.Page[store.Placed]{}, err
		}
		return r.Store.AuthoredAbout(ctx, wrote, f, w)
	})
}

// authored returns the connection of a page of an author's comments.
func (r *Resolver) authored(
	ctx context.Context, scope string, wrong error, in model.WindowArguments,
	page func(store.Window) (list.Page[store.Placed], error),
) (*model.CommentConnection, error) {
	may := func(owner string) model.May { return r.permissions(ctx, owner) }
	read := func(w store.Window, cursorOf model.CursorOf[key.Position]) (*model.CommentConnection, error) {
		page, err := page(w)
		return &model.CommentConnection{Uncounted: true, Connection: model.NewPlaced(page, may, cursorOf)}, err
	}
	return connection(ctx, r, cursor.Authored, scope, wrong, in, read)
}
