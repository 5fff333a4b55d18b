package resolvers

import (
	"context"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/errs"
)

// loadTexts fetches the texts of a page that the index does not have, if the query
// asks for texts. It reads them in one batch, also with those of other pages that
// are resolved at the same time.
func loadTexts(ctx context.Context, connection *model.CommentConnection) {
	indexes, ids := connection.TextsElsewhere()
	if len(ids) == 0 || !selectsOfComments(ctx, "text") {
		return
	}
	comments, failed := loadersOf(ctx).comments(ctx, ids)
	for i, index := range indexes {
		switch {
		case failed != nil && failed[i] != nil:
			connection.SetText(index, "", failed[i])
		case comments[i] == nil:
			connection.SetText(index, "", errs.Errorf(errs.NotFound, "Comment %s was deleted while the page was read", ids[i]))
		default:
			connection.SetText(index, comments[i].Text, nil)
		}
	}
}

// selectsOfComments reports whether the query asks the connection that is being
// resolved for one of these fields of its comments.
func selectsOfComments(ctx context.Context, fields ...string) bool {
	op := graphql.GetOperationContext(ctx)
	inComments := func(field graphql.CollectedField) bool {
		for _, f := range graphql.CollectFields(op, field.Selections, []string{"Comment", "Node"}) {
			if slices.Contains(fields, f.Name) {
				return true
			}
		}
		return false
	}
	for _, f := range graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}) {
		switch f.Name {
		case "nodes":
			if inComments(f) {
				return true
			}
		case "edges":
			for _, inEdge := range graphql.CollectFields(op, f.Selections, []string{"CommentEdge"}) {
				if inEdge.Name == "node" && inComments(inEdge) {
					return true
				}
			}
		}
	}
	return false
}
