package model

import (
	"cmp"
	"slices"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/stats"
)

// ProductStats are the statistics of a product as the schema shows them.
type ProductStats struct {
	Statistics stats.Statistics
	Scope      stats.Scope
}

// VerifiedCount returns how many comments are by people who bought the product, by the
// statistics of any language. It returns an Unavailable error if they do not tell.
func (s ProductStats) VerifiedCount(inAny stats.Statistics) (*int, error) {
	by, ok := inAny.Counted(key.Languages(s.Scope.Language), 0, stats.Which{Verified: true})
	if !ok {
		return nil, ErrUnlisted
	}
	return new(totalOf(by)), nil
}

// TotalCount returns how many comments there are.
func (s ProductStats) TotalCount() int { return s.Statistics.Total() }

// AverageRating returns nil if there are no comments.
func (s ProductStats) AverageRating() *float64 {
	average, ok := s.Statistics.Average()
	return ifAny(average, ok)
}

// RatingCounts returns a row for each rating, 1 to 5.
func (s ProductStats) RatingCounts() []RatingCount { return ratingCounts(s.Statistics.Tally) }

func ratingCounts(t stats.Tally) []RatingCount {
	rows := make([]RatingCount, len(t))
	for i, n := range t {
		rows[i] = RatingCount{Rating: i + 1, Count: n}
	}
	return rows
}

// LanguageCounts returns a row for each language that has comments, most
// comments first.
func (s ProductStats) LanguageCounts() []LanguageCount {
	if total := s.Statistics.Total(); s.Scope.Language != "" && total > 0 {
		return []LanguageCount{{Language: s.Scope.Language, Count: total, of: s.Statistics.Tally}}
	}
	rows := make([]LanguageCount, 0, len(s.Statistics.Languages))
	for language, n := range s.Statistics.Languages {
		rows = append(rows, LanguageCount{Language: language, Count: n, of: s.Statistics.Details[language].Tally})
	}
	sortLanguages(rows)
	return rows
}

// LanguageCount is how many comments are in a language.
type LanguageCount struct {
	Language string
	Count    int

	of stats.Tally
}

// RatingCounts returns a row for each rating, 1 to 5.
func (c LanguageCount) RatingCounts() []RatingCount { return ratingCounts(c.of) }

func sortLanguages(rows []LanguageCount) {
	slices.SortFunc(rows, func(a, b LanguageCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Language, b.Language))
	})
}

// ErrUnlisted says that the statistics of a product do not tell what is asked for.
var ErrUnlisted = errs.Errorf(errs.Unavailable, "The product has comments in more languages than its statistics list: the operator can make them fewer with product-comments product plain-languages, and list them anew with stats rebuild")
