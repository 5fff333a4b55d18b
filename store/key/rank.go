package key

import (
	"fmt"
	"strconv"
	"strings"
)

// leaders and scores are the partitions of the leaderboards of all languages.
const (
	leaders = "LEADERS"
	scores  = "SCORES"
)

// scoreSK is the sort key of a product's place in the leaderboard by score.
const scoreSK = "SCORE"

// Leaders is the partition of the leaderboard (AP11), or of one language's. It
// lies in byLangAndRating with comments, and only statistics of
// products with a 5 are in it.
func Leaders(language string) Partition {
	return Partition{ByLangAndRating, withLanguage(leaders, language)}
}

// Scores is the partition of the leaderboard by score, or of one language's, beside that of
// Leaders. Only places of products with enough comments are in it.
func Scores(language string) Partition {
	return Partition{ByLangAndRating, withLanguage(scores, language)}
}

// ScoreSK returns the sort key of a product's place in Scores.
func ScoreSK(language string) string { return withLanguage(scoreSK, language) }

// ParseScoreSK is the inverse of ScoreSK; ok is false for any other sort key.
func ParseScoreSK(sk string) (language string, ok bool) { return cutLanguage(sk, scoreSK) }

// withLanguage returns a key of all languages as that of one; of all if it is empty.
func withLanguage(all, language string) string {
	if language == "" {
		return all
	}
	return all + "#" + escape(language)
}

// cutLanguage is the inverse of withLanguage; ok is false for any other key.
func cutLanguage(k, all string) (language string, ok bool) {
	rest, ok := strings.CutPrefix(k, all)
	if !ok || rest == "" {
		return "", ok
	}
	if rest, ok = strings.CutPrefix(rest, "#"); !ok || rest == "" {
		return "", false
	}
	return unescape(rest)
}

// Rank is a place in a leaderboard.
type Rank struct {
	Number    int // by which products are ranked: of comments rated 5, or their score
	ProductID string
}

// ranked reports whether the partition is a leaderboard.
func (in Partition) ranked() bool {
	return in.Index == ByLangAndRating && (strings.HasPrefix(in.Value, leaders) || strings.HasPrefix(in.Value, scores))
}

// Position is the rank as a position in a list: without a time.
func (r Rank) Position() Position {
	return Position{Value: fmt.Sprintf("%0*d", rankDigits, r.Number), CommentID: r.ProductID}
}

// RankAt is the inverse of Rank.Position.
func RankAt(at *Position) Rank {
	n, _ := strconv.Atoi(at.Value)
	return Rank{n, at.CommentID}
}

// rankDigits hold more comments than any table does, and every score.
const rankDigits = 12

// SortKey spells the rank as a GSISK value: the number with leading zeros, then
// the product id, so that products with the same number have an order too.
func (r Rank) SortKey() string {
	return fmt.Sprintf("%0*d#%s", rankDigits, r.Number, escape(r.ProductID))
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
