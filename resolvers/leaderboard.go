package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/list"
)

// Leaderboard resolves Query.leaderboard.
func (r query) Leaderboard(
	ctx context.Context, in model.WindowArguments, by *model.LeaderboardOrder, language *string,
) (*model.LeaderboardConnection, error) {
	tag, wrong := item.AnyLanguage("language", language)
	of := store.Board{ByScore: by != nil && *by == model.LeaderboardOrderScore, Language: tag}
	read := func(w list.Window[key.Rank], cursorOf model.CursorOf[key.Rank]) (*model.LeaderboardConnection, error) {
		page, err := r.Store.Leaderboard(ctx, of, w)
		return model.NewLeaderboardConnection(page, of, cursorOf), err
	}
	return connection(ctx, r.Resolver, cursor.Ranks, of.Scope(), wrong, in, read)
}

// FiveStarCount resolves LeaderboardEdge.fiveStarCount: from the statistics, for all edges in one
// batch, because the leaderboard's entry may be older than the statistics.
func (leaderboardEdge) FiveStarCount(ctx context.Context, of *model.LeaderboardEdge) (int, error) {
	statistics, err := loadersOf(ctx).statistics(ctx, of.Scope)
	return statistics.Tally[4], err
}
