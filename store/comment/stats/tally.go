// Package stats is the arithmetic of statistics: the counted properties of a comment, the effect of
// changes on the sums, and the conclusions of the planner. It is pure; package counts stores the
// results.
package stats

import (
	"cmp"
	"maps"
	"slices"

	"product-comments/store/key"
)

// Tally is the number of comments of each rating; index r-1 has the number of rating r.
type Tally [5]int

// Total returns the number of all comments.
func (t Tally) Total() int { return t.Count(key.AllRatings) }

// Count returns the number of comments with one of the ratings.
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

// plus returns the sums of counts.
func plus[A Tally | Kinds](a, b A) A {
	for i := range len(a) {
		a[i] += b[i]
	}
	return a
}

// Plus returns the sums of counts.
func (t Tally) Plus(o Tally) Tally { return plus(t, o) }

// atMostTaking returns a change, limited so that no count in from falls below zero.
func atMostTaking[A Tally | Kinds](change, from A) A {
	for i := range len(change) {
		change[i] = max(change[i], -from[i])
	}
	return change
}

// negative reports whether a count is below zero, which means that the statistics are wrong.
func negative(counts []int) bool { return slices.Min(counts) < 0 }

// Scope identifies statistics: of a product's comments in one language, or in all languages if
// Language is empty.
type Scope struct{ ProductID, Language string }

// Compare orders scopes.
func (s Scope) Compare(o Scope) int {
	return cmp.Or(cmp.Compare(s.ProductID, o.ProductID), cmp.Compare(s.Language, o.Language))
}

// Statistics are the counts of a scope.
type Statistics struct {
	Tally
	// Languages has the number of comments by language, in the scope of all languages only.
	Languages map[string]int
	// OtherLanguages is the number of comments in languages that are not listed, since there
	// are more than MaxListed.
	OtherLanguages int
	// Details has the counts of each listed language, in the scope of all languages only.
	Details map[string]Detail
}

// Plus returns the statistics of the comments of both scopes together.
func (s Statistics) Plus(o Statistics) Statistics {
	sum := Statistics{Tally: s.Tally.Plus(o.Tally), OtherLanguages: s.OtherLanguages + o.OtherLanguages,
		Languages: map[string]int{}, Details: map[string]Detail{}}
	for _, one := range []Statistics{s, o} {
		for language, n := range one.Languages {
			sum.Languages[language] += n
		}
		for language, d := range one.Details {
			sum.Details[language] = sum.Details[language].plus(d)
		}
	}
	return sum
}

// Detail has the counts of the comments in one language.
type Detail struct {
	Kinds
	Bytes Tally // sum of their sizes, by rating
}

// plus adds another detail.
func (d Detail) plus(o Detail) Detail { return Detail{plus(d.Kinds, o.Kinds), plus(d.Bytes, o.Bytes)} }

// Counted returns the number of comments in the given languages, with the given ratings and
// dimensions, by language and rating. It needs the statistics of all languages; ok is false if they
// do not list all of the given ones.
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

// Passing returns the statistics of the comments with the dimensions in the given languages. It needs
// the statistics of all languages; ok is false if they do not list all of the given ones.
func (s Statistics) Passing(languages key.Languages, which Which) (of Statistics, ok bool) {
	_, ok = s.Counted(languages, 0, which)
	by := ByLanguage{}
	for language, d := range s.Details {
		for kind, n := range d.Kinds {
			if k := Kind(kind); n != 0 && languages.Has(language) && which.Passes(k.Which()) {
				by.Add(language, k, n)
			}
		}
	}
	return by.Statistics(), ok
}

// Regions returns a set of languages, together with the languages of comments that it covers, such
// as en-GB for en; ok is false if the statistics do not list all languages.
func (s Statistics) Regions(languages key.Languages) (all key.Languages, ok bool) {
	return languages.WithRegions(maps.Keys(s.Languages)), s.OtherLanguages == 0
}

// MaxListed is the maximum number of languages that statistics list, so their size is bounded.
// MaxLanguages is the maximum number of languages of a product's comments; concurrent writers
// may exceed it.
const (
	MaxListed    = 256
	MaxLanguages = 200
)

// Sizes are the sizes of the comments of a scope in an index, without the index's own partition
// key. Zero means unknown.
type Sizes struct {
	Bytes Tally // sum of all comments, by rating
	// Largest is an upper bound of a comment's size in bytes. It does not fall when the largest
	// comment is deleted.
	Largest int
}

// Measured are statistics with sizes.
type Measured struct {
	Statistics
	Sizes
}
