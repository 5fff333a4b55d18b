package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/variables"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// CheckArguments returns a middleware that lets fields with invalid values in their arguments
// write nothing, and report these values together with the errors that their resolvers find.
func CheckArguments(invalid *variables.Wrong, middleware graphql.FieldMiddleware) graphql.FieldMiddleware {
	return func(ctx context.Context, resolve graphql.Resolver) (any, error) {
		wrong := invalid.Of(graphql.GetFieldContext(ctx).Field.Field)
		if wrong == nil {
			return middleware(ctx, resolve)
		}
		return middleware(ctx, func(ctx context.Context) (any, error) {
			_, err := resolve(table.ReadOnly(ctx))
			switch errs.CodeOf(err) {
			case errs.Unauthenticated, errs.Forbidden: // no input is right for this viewer
				return nil, err
			}
			return nil, splitErrors(ctx, wrong.Join(errs.All(err)))
		})
	}
}
