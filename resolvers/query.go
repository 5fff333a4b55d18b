package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/orders"
)

// Viewer resolves Query.viewer.
func (query) Viewer(ctx context.Context) (*access.Viewer, error) {
	if v := access.From(ctx); v.Role != access.Anonymous {
		return &v, nil
	}
	return nil, nil
}

// Node resolves Query.node.
func (r query) Node(ctx context.Context, id string) (model.Node, error) {
	nodes, err := r.nodes(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

// Nodes resolves Query.nodes.
func (r query) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	return r.nodes(ctx, ids)
}

// Product resolves Query.product.
func (r query) Product(_ context.Context, id string) (*model.Product, error) {
	productID, err := parseID("id", id, model.TypeProduct)
	if err != nil {
		return nil, err
	}
	return &model.Product{ProductID: productID}, nil
}

// Products resolves Query.products.
func (r query) Products(_ context.Context, ids []string) ([]model.Product, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	products := make([]model.Product, len(ids))
	for i, id := range ids {
		productID, err := parseID("ids", id, model.TypeProduct)
		if err != nil {
			return nil, err
		}
		products[i].ProductID = productID
	}
	return products, nil
}

// Comment resolves Query.comment.
func (r query) Comment(ctx context.Context, id string) (*model.Comment, error) {
	commentID, err := parseID("id", id, model.TypeComment)
	if err != nil {
		return nil, err
	}
	c, err := loadersOf(ctx).comment(ctx, commentID)
	if c == nil || err != nil {
		return nil, err
	}
	return new(r.comment(ctx, c)), nil
}

// nodes returns the objects with these global ids: same order, same length, nil where there is
// none.
func (r *Resolver) nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	nodes := make([]model.Node, len(ids))
	var commentIDs []string
	var indexes []int
	for i, id := range ids {
		switch t, own, ok := model.ParseGlobalID(id); {
		case !ok || validateID[t]("", own) != nil:
		case t == model.TypeProduct:
			nodes[i] = model.Product{ProductID: own}
		case t == model.TypeComment:
			commentIDs, indexes = append(commentIDs, own), append(indexes, i)
		default:
			var err error
			if nodes[i], err = r.privateNode(ctx, t, own); err != nil {
				return nil, err
			}
		}
	}
	comments, errs := loadersOf(ctx).comments(ctx, commentIDs)
	for i, c := range comments {
		if errs != nil && errs[i] != nil {
			return nil, errs[i]
		}
		if c != nil {
			nodes[indexes[i]] = r.comment(ctx, c)
		}
	}
	return nodes, nil
}

// privateNode returns a user or an order; nil if there is none that the viewer may see. A request
// names few of them, so each is read separately.
func (r *Resolver) privateNode(ctx context.Context, t model.NodeType, id string) (model.Node, error) {
	viewer := access.From(ctx)
	switch {
	case t == model.TypeUser && r.Rules.May(viewer, access.SeeOrders, id) == access.Yes:
		u, err := r.user(ctx, id)
		if err != nil || u == nil {
			return nil, err
		}
		return *u, nil
	case t == model.TypeOrder && r.Rules.May(viewer, access.SeeOrders, viewer.Subject) == access.Yes:
		o, err := r.order(ctx, id)
		if err != nil || o == nil {
			return nil, err
		}
		return *o, nil
	}
	return nil, nil
}

// validateID validates the own id of an object, by its type.
var validateID = map[model.NodeType]func(field, own string) error{
	model.TypeProduct: item.ValidateProductID, model.TypeComment: item.ValidateCommentID,
	model.TypeUser: orders.ValidateUsername, model.TypeOrder: orders.ValidateID,
}

// parseUsername accepts what parseID accepts, and the viewer's own subject in any form.
func parseUsername(ctx context.Context, field, id string) (string, error) {
	if id != "" && id == access.From(ctx).Subject {
		return id, nil
	}
	return parseID(field, id, model.TypeUser)
}

// parseID accepts a global id of an object of the wanted type, or the shop's own id.
func parseID(field, id string, want model.NodeType) (string, error) {
	own, err := ownID(field, id, want)
	if err != nil {
		return "", err
	}
	return own, validateID[want](field, own)
}

// ownID returns the own id in a global id of the wanted type. Any other text is an own id.
func ownID(field, id string, want model.NodeType) (string, error) {
	t, own, ok := model.ParseGlobalID(id)
	if !ok {
		return id, nil
	}
	if t != want {
		return "", errs.Invalid(field, "it is the id of a %s: give the id of a %s", t, want).For(errs.OtherKind)
	}
	return own, nil
}

// limitIDs limits the argument ids.
func limitIDs(ids []string) error {
	if len(ids) > graph.MaxIDs {
		return errs.Invalid("ids", "there are %d, the limit is %d", len(ids),
			graph.MaxIDs).For(errs.TooMany).Past(len(ids), graph.MaxIDs)
	}
	return nil
}
