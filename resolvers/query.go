package resolvers

import (
	"context"

	"product-comments/graph/model"
)

func (r query) Node(ctx context.Context, id string) (model.Node, error) {
	nodes, err := r.nodes(ctx, []string{id})
	if err != nil {
		return nil, err
	}
	return nodes[0], nil
}

func (r query) Nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	return r.nodes(ctx, ids)
}

func (r query) Product(_ context.Context, id string) (model.Product, error) {
	productID, err := parseProductID("id", id)
	return model.Product{ProductID: productID}, err
}

func (r query) Products(_ context.Context, ids []string) ([]model.Product, error) {
	if err := limitIDs(ids); err != nil {
		return nil, err
	}
	products := make([]model.Product, len(ids))
	for i, id := range ids {
		productID, err := parseProductID("ids", id)
		if err != nil {
			return nil, err
		}
		products[i].ProductID = productID
	}
	return products, nil
}

func (r query) Comment(ctx context.Context, id string) (*model.Comment, error) {
	commentID, err := parseCommentID("id", id)
	if err != nil {
		return nil, err
	}
	c, err := loadersOf(ctx).comment(ctx, commentID)
	if c == nil || err != nil {
		return nil, err
	}
	out := model.NewComment(c)
	return &out, nil
}

// nodes resolves global ids: same order, same length, nil for what does not exist.
func (r query) nodes(ctx context.Context, ids []string) ([]model.Node, error) {
	nodes := make([]model.Node, len(ids))
	var commentIDs []string
	var places []int
	for i, id := range ids {
		switch t, own, ok := model.ParseGlobalID(id); {
		case !ok:
		case t == model.TypeProduct:
			if validProductID(own) {
				nodes[i] = model.Product{ProductID: own}
			}
		case t == model.TypeComment:
			if validCommentID(own) {
				commentIDs, places = append(commentIDs, own), append(places, i)
			}
		}
	}
	comments, errs := loadersOf(ctx).comments(ctx, commentIDs)
	for i, c := range comments {
		if errs != nil && errs[i] != nil {
			return nil, errs[i]
		}
		if c != nil {
			nodes[places[i]] = model.NewComment(c)
		}
	}
	return nodes, nil
}
