package resolvers

import (
	"context"

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
		case !ok:
		case t == model.TypeProduct:
			if validProductID(own) {
				nodes[i] = model.Product{ProductID: own}
			}
		case t == model.TypeComment:
			if validCommentID(own) {
				commentIDs, indexes = append(commentIDs, own), append(indexes, i)
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
