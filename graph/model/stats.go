package model

import (
	"cmp"
	"slices"

	"product-comments/store/stats"
)

// ProductStats are the statistics of a product as the schema shows them.
type ProductStats struct {
	of       stats.Statistics
	language string // empty for any
}

// NewProductStats wraps the statistics of a scope.
func NewProductStats(of stats.Statistics, scope stats.Scope) *ProductStats {
	return &ProductStats{of: of, language: scope.Language}
}

// TotalCount returns how many comments there are.
func (s ProductStats) TotalCount() int { return s.of.Total() }

// AverageRating returns nil if there are no comments.
func (s ProductStats) AverageRating() *float64 {
	average, ok := s.of.Average()
	if !ok {
		return nil
	}
	return &average
}

// RatingCounts returns a row for each rating, 1 to 5.
func (s ProductStats) RatingCounts() []RatingCount {
	rows := make([]RatingCount, len(s.of.Tally))
	for i, n := range s.of.Tally {
		rows[i] = RatingCount{Rating: i + 1, Count: n}
	}
	return rows
}

// LanguageCounts returns a row for each language that has comments, most
// comments first.
func (s ProductStats) LanguageCounts() []LanguageCount {
	if total := s.of.Total(); s.language != "" && total > 0 {
		return []LanguageCount{{Language: s.language, Count: total}}
	}
	rows := make([]LanguageCount, 0, len(s.of.Languages))
	for language, n := range s.of.Languages {
		rows = append(rows, LanguageCount{Language: language, Count: n})
	}
	slices.SortFunc(rows, func(a, b LanguageCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Language, b.Language))
	})
	return rows
}
