package counts

import (
	"context"

	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/scan"
)

// rankSize is the assumed size in bytes of a place in a leaderboard.
const rankSize = 200

// Board is the leaderboard of a language, or of all languages if Language is empty.
type Board struct {
	ByScore  bool // otherwise by the number of comments rated 5
	Language string
}

// Scope identifies the leaderboard, for cursors.
func (b Board) Scope() string {
	if b.ByScore {
		return "score\x00" + b.Language
	}
	return b.Language
}

func (b Board) partition() key.Partition {
	if b.ByScore {
		return key.Scores(b.Language)
	}
	return key.Leaders(b.Language)
}

// Ranks reads a window of a leaderboard, which contains the products with comments rated 5, or with
// enough comments for a score. It returns an Unavailable error if the statistics are not
// maintained, or if the scores are being written again after a change of the scoring.
func (s *Statistics) Ranks(ctx context.Context, of Board, w list.Window[key.Rank]) (ranks list.Page[key.Rank], err error) {
	now, err := s.settings.Recent(ctx)
	if err == nil {
		err = now.Trusted()
	}
	if err == nil && of.ByScore {
		err = now.Scored()
	}
	if err != nil {
		return ranks, err
	}
	at := list.Window[key.Position]{Limit: w.Limit, Backward: w.Backward, Ascending: w.Ascending, After: positionOf(w.After), Before: positionOf(w.Before)}
	page, err := scan.Page(ctx, s.t, false, key.SpansOf([]key.Partition{of.partition()}), rankSize, at)
	return list.Map(page, key.RankAt), err
}

func positionOf(r *key.Rank) *key.Position {
	if r == nil {
		return nil
	}
	at := r.Position()
	return &at
}
