package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store/stats"
)

// VerifiedCount resolves ProductStats.verifiedCount. Only the statistics of any language
// tell of it.
func (productStats) VerifiedCount(ctx context.Context, of *model.ProductStats) (*int, error) {
	inAny := of.Statistics
	if scope := of.Scope; scope.Language != "" {
		var err error
		if inAny, err = loadersOf(ctx).statistics(ctx, stats.Scope{ProductID: scope.ProductID}); err != nil {
			return nil, err
		}
	}
	return of.VerifiedCount(inAny)
}
