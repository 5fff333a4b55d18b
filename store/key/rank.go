package key

import (
	"fmt"
	"strconv"
	"strings"
)

// leaders is the partition of the leaderboard of all languages.
const leaders = "LEADERS"

// Leaders is the partition of the leaderboard (AP11), or of one language's. It
// lies in byLangAndRating with comments, and only statistics of
// products with a 5 are in it.
func Leaders(language string) Partition {
	if language == "" {
		return Partition{ByLangAndRating, leaders}
	}
	return Partition{ByLangAndRating, leaders + "#" + escape(language)}
}

// Rank is a place in a leaderboard.
type Rank struct {
	FiveStars int // comments rated 5
	ProductID string
}

// ranked reports whether the partition is a leaderboard.
func (in Partition) ranked() bool {
	return in.Index == ByLangAndRating && strings.HasPrefix(in.Value, leaders)
}

// Position is the rank as a position in a list: without a time.
func (r Rank) Position() Position {
	return Position{Value: fmt.Sprintf("%0*d", rankDigits, r.FiveStars), CommentID: r.ProductID}
}

// RankAt is the inverse of Rank.Position.
func RankAt(at *Position) Rank {
	n, _ := strconv.Atoi(at.Value)
	return Rank{n, at.CommentID}
}

// rankDigits hold more comments than any table does.
const rankDigits = 12

// SortKey spells the rank as a GSISK value: the count with leading zeros, then
// the product id, so that products with the same count have an order too.
func (r Rank) SortKey() string {
	return fmt.Sprintf("%0*d#%s", rankDigits, r.FiveStars, escape(r.ProductID))
}

// ParseRank is the inverse of SortKey; ok is false for any other string.
func ParseRank(s string) (r Rank, ok bool) {
	if len(s) <= rankDigits || s[rankDigits] != '#' {
		return Rank{}, false
	}
	n, err := strconv.Atoi(s[:rankDigits])
	if err != nil || n < 0 {
		return Rank{}, false
	}
	id, ok := unescape(s[rankDigits+1:])
	return Rank{n, id}, ok && id != ""
}
