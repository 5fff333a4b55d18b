package resolvers

import (
	"context"

	"product-comments/graph/model"
)

// Leaderboard resolves Query.leaderboard.
func (r query) Leaderboard(
	ctx context.Context, language *string, first *int, after *string, last *int, before *string,
) (*model.LeaderboardConnection, error) {
	tag, err := parseLanguage(language)
	if err != nil {
		return nil, err
	}
	cursors := r.rankCursors(tag)
	w, err := parseWindow(cursors, first, after, last, before)
	if err != nil {
		return nil, separate(ctx, err)
	}
	page, err := r.Store.Leaderboard(ctx, tag, w)
	if err != nil {
		return nil, err
	}
	return model.NewLeaderboardConnection(page, tag, cursors.Encode), nil
}
