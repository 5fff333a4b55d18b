// Package stats is the arithmetic of statistics: what a comment counts as, what
// a change of comments adds and takes away, and what the planner may conclude.
// It is pure; package store keeps the results in items.
package stats

import (
	"cmp"
	"maps"

	"product-comments/store/key"
)

// Tally is how many comments there are of each rating: of rating r at r-1.
type Tally [5]int

// Total returns the number of all comments.
func (t Tally) Total() int { return t.Count(key.AllRatings) }

// Count returns how many comments pass a set of ratings as a filter.
func (t Tally) Count(ratings key.Ratings) int {
	n := 0
	for i, count := range t {
		if ratings.Has(i + 1) {
			n += count
		}
	}
	return n
}

// Average returns the average rating; ok is false if there are no comments.
func (t Tally) Average() (average float64, ok bool) {
	total, sum := 0, 0
	for i, count := range t {
		total += count
		sum += (i + 1) * count
	}
	if total == 0 {
		return 0, false
	}
	return float64(sum) / float64(total), true
}

// plus adds another tally.
func (t Tally) plus(o Tally) Tally {
	for i := range t {
		t[i] += o[i]
	}
	return t
}

// atMostTaking returns a change that leaves no count of another tally below zero.
func (t Tally) atMostTaking(from Tally) Tally {
	for i := range t {
		t[i] = max(t[i], -from[i])
	}
	return t
}

// negative reports whether a count is below zero, which no history of comments
// leads to.
func (t Tally) negative() bool {
	for _, count := range t {
		if count < 0 {
			return true
		}
	}
	return false
}

// Scope is what statistics are about: a product's comments in one language, or
// in any if it is empty.
type Scope struct{ ProductID, Language string }

// Compare orders scopes.
func (s Scope) Compare(o Scope) int {
	return cmp.Or(cmp.Compare(s.ProductID, o.ProductID), cmp.Compare(s.Language, o.Language))
}

// Statistics of a scope.
type Statistics struct {
	Tally
	// Languages has the number of comments in each language, in the scope of
	// any language only.
	Languages map[string]int
	// OtherLanguages is the number of comments in languages that are not listed,
	// since there are more than MaxListed.
	OtherLanguages int
	// Details has the comments of each language that is listed, in the scope of
	// any language only.
	Details map[string]Detail
}

// Detail has the counts of the comments in one language.
type Detail struct {
	Kinds
	Bytes Tally // of all of them together, by rating
}

// plus adds another detail.
func (d Detail) plus(o Detail) Detail { return Detail{d.Plus(o.Kinds), d.Bytes.plus(o.Bytes)} }

// Counted returns how many comments with some ratings and dimensions there are in some
// languages, by language and rating. It is for the statistics of any language; ok is false if
// they do not list all of these languages.
func (s Statistics) Counted(languages key.Languages, ratings key.Ratings, which Which) (by map[string]Tally, ok bool) {
	by = map[string]Tally{}
	for language, d := range s.Details {
		if languages.Has(language) {
			by[language] = d.Of(ratings, which)
		}
	}
	for _, language := range languages.List() {
		if _, listed := by[language]; !listed && s.OtherLanguages > 0 {
			return nil, false
		}
	}
	return by, !languages.Any() || s.OtherLanguages == 0
}

// Regions returns a set of languages, and the ones of comments that it covers, such as en-GB for
// en; ok is false if the statistics do not list all languages.
func (s Statistics) Regions(languages key.Languages) (all key.Languages, ok bool) {
	return languages.WithRegions(maps.Keys(s.Languages)), s.OtherLanguages == 0
}

// MaxListed is the most languages that statistics list, so that they stay small
// whatever happens. Comments in more than MaxLanguages of a product are refused;
// products that are older than that rule may have more.
const (
	MaxListed    = 256
	MaxLanguages = 200
)

// Sizes are how large the comments of a scope are in an index, without the
// index's own partition key. Zero is not known.
type Sizes struct {
	Bytes Tally // of all comments together, by rating
	// Largest is a size in bytes that no comment exceeds. It does not fall when
	// the largest comment is deleted.
	Largest int
}

// Measured are statistics with sizes.
type Measured struct {
	Statistics
	Sizes
}
