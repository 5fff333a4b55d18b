package resolvers

import (
	"context"
	"errors"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// separate makes each of several errors one of the answer's own, so that a form can
// show each beside its field. gqlgen knows lists of this type alone, and gives only
// the first of a list the place in the query.
func separate(ctx context.Context, err error) error {
	var several errs.List
	if !errors.As(err, &several) {
		return err
	}
	list := make(gqlerror.List, len(several))
	for i, e := range several {
		list[i] = gqlerror.WrapPath(graphql.GetPath(ctx), e)
		_ = graphql.AddFieldLocationToError(ctx, list[i])
	}
	return list
}
