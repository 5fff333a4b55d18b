package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/model"
)

// nodes returns the objects with these global ids: same order, same length,
// nil where there is none.
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
			if nodes[i], err = r.private(ctx, t, own); err != nil {
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

// private returns a person or an order, nil if there is none that the viewer may see. A
// request names few of them, so each is read by itself.
func (r *Resolver) private(ctx context.Context, t model.NodeType, id string) (model.Node, error) {
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
