package key

import (
	"fmt"
	"strconv"
	"strings"
)

// leaders and scores are the partition keys of the leaderboards of all languages.
const (
	leaders = "LEADERS"
	scores  = "SCORES"
)

// scoreSK is the sort key of a product's place in the leaderboard by score.
const scoreSK = "SCORE"

// Leaders returns the partition, in byLangAndRating, of the leaderboard of all languages (AP11)
// or of one. It contains only statistics of products with comments rated 5.
func Leaders(language string) Partition {
	return Partition{ByLangAndRating, withLanguage(leaders, language)}
}

// Scores returns the partition, in byLangAndRating, of the leaderboard by score of all
// languages or of one. It contains only products with enough comments.
func Scores(language string) Partition {
	return Partition{ByLangAndRating, withLanguage(scores, language)}
}

// ScoreSK returns the sort key of a product's place in Scores.
func ScoreSK(language string) string { return withLanguage(scoreSK, language) }

// ParseScoreSK is the inverse of ScoreSK; ok is false for any other sort key.
func ParseScoreSK(sk string) (language string, ok bool) { return cutLanguage(sk, scoreSK) }

// withLanguage appends a language to a key of all languages; an empty language is all.
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
	Number    int // the number of comments rated 5, or the score
	ProductID string
}

// ranked reports whether the partition is a leaderboard.
func (in Partition) ranked() bool {
	return in.Index == ByLangAndRating && (strings.HasPrefix(in.Value, leaders) || strings.HasPrefix(in.Value, scores))
}

// Position returns the rank as a position without a time.
func (r Rank) Position() Position {
	return Position{Value: fmt.Sprintf("%0*d", rankDigits, r.Number), CommentID: r.ProductID}
}

// RankAt is the inverse of Rank.Position.
func RankAt(at *Position) Rank {
	n, _ := strconv.Atoi(at.Value)
	return Rank{n, at.CommentID}
}

// rankDigits is enough for the number of comments of any table, and for every score.
const rankDigits = 12

// SortKey returns the rank as a GSISK value: the number with leading zeros, then the product
// id, so that the order is total.
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
