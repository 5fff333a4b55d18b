package resolvers

import (
	"context"

	"product-comments/graph/model"
)

// FiveStarCount resolves LeaderboardEdge.fiveStarCount: from the statistics, for
// all edges in one batch, since a place may be older than they are.
func (leaderboardEdge) FiveStarCount(ctx context.Context, of *model.LeaderboardEdge) (int, error) {
	statistics, err := loadersOf(ctx).statistics(ctx, of.Scope)
	return statistics.Tally[4], err
}
