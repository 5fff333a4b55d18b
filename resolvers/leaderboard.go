package resolvers

import (
	"context"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/key"
)

func (r query) Leaderboard(ctx context.Context, language *string, first *int, after *string, last *int, before *string) (model.LeaderboardConnection, error) {
	tag, err := parseLanguage(language)
	if err != nil {
		return model.LeaderboardConnection{}, err
	}
	scope := leaderboardScope(tag)
	w, err := parseWindow(r.Cursors.DecodeRank, scope, first, after, last, before)
	if err != nil {
		return model.LeaderboardConnection{}, err
	}
	page, err := r.Store.Leaderboard(ctx, tag, store.RankWindow(w))
	if err != nil {
		return model.LeaderboardConnection{}, err
	}
	return model.NewLeaderboardConnection(page, r.rankCursorOf(scope)), nil
}

// leaderboardScope names the leaderboard of a language. The scope of a list of
// comments starts with a product id, which holds no control characters.
func leaderboardScope(language string) string { return "\x00leaders\x00" + language }

func (r *Resolver) rankCursorOf(scope string) model.CursorOf[key.Rank] {
	return func(rank key.Rank) (string, error) { return r.Cursors.EncodeRank(scope, rank) }
}
