package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/errs"
)

// loadTexts fetches the texts that the index did not carry, if the query asks
// for texts: all of a page, and of all pages that resolve at once, in one batch.
func loadTexts(ctx context.Context, connection *model.CommentConnection) {
	indexes, ids := connection.TextsElsewhere()
	if len(ids) == 0 || !selectsText(ctx) {
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

// selectsText tells whether the connection that is being resolved is asked for
// the text of its comments.
func selectsText(ctx context.Context) bool {
	op := graphql.GetOperationContext(ctx)
	inComments := func(field graphql.CollectedField) bool {
		for _, f := range graphql.CollectFields(op, field.Selections, []string{"Comment", "Node"}) {
			if f.Name == "text" {
				return true
			}
		}
		return false
	}
	for _, f := range graphql.CollectFields(op, graphql.GetFieldContext(ctx).Field.Selections, []string{"CommentConnection"}) {
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
