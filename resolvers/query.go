package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/model"
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
func (r query) Product(_ context.Context, id string) (model.Product, error) {
	productID, err := parseID("id", id, model.TypeProduct)
	return model.Product{ProductID: productID}, err
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
