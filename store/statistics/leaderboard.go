package statistics

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/scan"
)

// rankSize is taken for the size in bytes of a place of a leaderboard.
const rankSize = 200

// Ranks reads a window of the products with comments rated 5, of the leaderboard of a
// language, or of any if it is empty. It returns an Unavailable error if the store does not
// answer or the statistics are not kept.
func (s *Statistics) Ranks(ctx context.Context, language string, w list.Window[key.Rank]) (ranks list.Page[key.Rank], err error) {
	now, err := s.settings.Recent(ctx)
	if err == nil {
		err = now.Trusted()
	}
	if err != nil {
		return ranks, err
	}
	at := list.Window[key.Position]{Limit: w.Limit, Backward: w.Backward, Ascending: w.Ascending, After: positionOf(w.After), Before: positionOf(w.Before)}
	page, err := scan.Page(ctx, s.t, false, key.SpansOf([]key.Partition{key.Leaders(language)}), rankSize, at)
	return list.Map(page, key.RankAt), err
}

func positionOf(r *key.Rank) *key.Position {
	if r == nil {
		return nil
	}
	at := r.Position()
	return &at
}
