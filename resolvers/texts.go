package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/errs"
)

// loadElsewhere fetches of a page what the index does not have, if the query asks for
// it: long texts, what an import keeps, and of a column what every edit changes. It reads them in one batch, also with those
// of other pages that are resolved at the same time.
func (r *Resolver) loadElsewhere(ctx context.Context, connection *model.CommentConnection) {
	kept := selectsOfComments(ctx, "helpful", "helpfulCount", "unhelpfulCount") ||
		selectsOfComments(ctx, "attributes") && r.attributesElsewhere(ctx, connection.Filter.ProductID)
	indexes, ids := connection.Elsewhere(selectsOfComments(ctx, "text"), kept, selectsOfComments(ctx, "version", "updatedAt"))
	if len(ids) == 0 {
		return
	}
	comments, failed := loadersOf(ctx).comments(ctx, ids)
	for i, index := range indexes {
		switch {
		case failed != nil && failed[i] != nil:
			connection.Load(index, nil, failed[i])
		case comments[i] == nil:
			connection.Load(index, nil, errs.Errorf(errs.NotFound, "Comment %s was deleted while the page was read", ids[i]))
		default:
			connection.Load(index, comments[i], nil)
		}
	}
}

// selectsOfComments reports whether the query asks the connection that is being
// resolved for one of these fields of its comments.
func selectsOfComments(ctx context.Context, fields ...string) bool {
	op := graphql.GetOperationContext(ctx)
	isWanted := func(f graphql.CollectedField) bool { return slices.Contains(fields, f.Name) }
	hasWanted := func(f graphql.CollectedField) bool {
		return slices.ContainsFunc(graphql.CollectFields(op, f.Selections, []string{"Comment", "Node"}), isWanted)
	}
	inEdge := func(f graphql.CollectedField) bool { return f.Name == "node" && hasWanted(f) }
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}), func(f graphql.CollectedField) bool {
		return f.Name == "nodes" && hasWanted(f) ||
			f.Name == "edges" && slices.ContainsFunc(graphql.CollectFields(op, f.Selections, []string{"CommentEdge"}), inEdge)
	})
}

// selects reports whether the query asks the connection that is being resolved for
// one of these fields of its own.
func selects(ctx context.Context, fields ...string) bool {
	isWanted := func(f graphql.CollectedField) bool { return slices.Contains(fields, f.Name) }
	return slices.ContainsFunc(graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}), isWanted)
}
