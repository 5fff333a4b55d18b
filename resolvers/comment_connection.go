package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// TotalCount resolves CommentConnection.totalCount, which Product.comments has
// begun to read.
func (commentConnection) TotalCount(ctx context.Context, of *model.CommentConnection) (*int, error) {
	statistics, err := loadersOf(ctx).statistics(ctx, statisticsScope(of.Filter))
	if err != nil {
		return nil, err
	}
	total := statistics.Of(of.Filter.Ratings)
	return &total, nil
}

// selectsTotalCount reports whether the query asks the connection that is being
// resolved for its total count.
func selectsTotalCount(ctx context.Context) bool {
	for _, f := range graphql.CollectFieldsCtx(ctx, []string{"CommentConnection"}) {
		if f.Name == "totalCount" {
			return true
		}
	}
	return false
}

// statisticsScope returns the statistics that count the comments of a filter.
func statisticsScope(f plan.Filter) stats.Scope {
	return stats.Scope{ProductID: f.ProductID, Language: f.Languages.One()}
}
