package cursor

import (
	"time"

	"product-comments/store/key"
)

// Kind is a kind of lists: those whose places are of one type. It says how a
// place stands in a token, as a number and the id that orders places with the
// same number.
type Kind[P key.Place] struct {
	// lists starts the scopes of all lists of this kind, so that no list of
	// another kind has the fingerprint of one of them.
	lists string
	split func(P) (number uint64, id string)
	join  func(number uint64, id string) P
}

// Comments are lists of comments. Their scopes are those of plan.Filter, which
// start with a product id and so with no control character. Times must lie in
// 1678 to 2261.
var Comments = Kind[key.Position]{
	lists: "",
	split: func(p key.Position) (uint64, string) { return uint64(p.CreatedAt.UnixNano()), p.CommentID },
	join: func(nanoseconds uint64, id string) key.Position {
		return key.Position{CreatedAt: time.Unix(0, int64(nanoseconds)).UTC(), CommentID: id}
	},
}

// Ranks are leaderboards. The scope of one is its language, empty for any.
var Ranks = Kind[key.Rank]{
	lists: "\x00leaders\x00",
	split: func(r key.Rank) (uint64, string) { return uint64(r.FiveStars), r.ProductID },
	join: func(fives uint64, id string) key.Rank {
		return key.Rank{FiveStars: int(fives), ProductID: id}
	},
}
