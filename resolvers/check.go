package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/document"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// Around returns the middleware around all fields of an operation. Fields with invalid values in
// their arguments write nothing, and report these values together with the errors that their
// resolvers find, each separately. A mutation discards what was read before it.
func Around(invalid document.Wrong, middleware graphql.FieldMiddleware) graphql.FieldMiddleware {
	return func(ctx context.Context, resolve graphql.Resolver) (result any, err error) {
		fc := graphql.GetFieldContext(ctx)
		if wrong := invalid.Of(fc.Field.Field); wrong == nil {
			result, err = middleware(ctx, resolve)
		} else {
			result, err = middleware(ctx, func(ctx context.Context) (any, error) {
				_, err := resolve(table.ReadOnly(ctx))
				switch errs.CodeOf(err) {
				case errs.Unauthenticated, errs.Forbidden: // no input is right for this viewer
					return nil, err
				}
				return nil, wrong.Join(errs.All(err))
			})
		}
		if fc.Object == "Mutation" {
			loadersOf(ctx).forget()
		}
		return result, splitErrors(ctx, err)
	}
}
