package model

import (
	"cmp"
	"slices"

	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// ProductStats is the schema's type ProductStats.
type ProductStats struct {
	Statistics store.Statistics
	Of         plan.Filter // of a product or a family, at most one language, and incentives
}

// TotalCount returns the number of comments.
func (s ProductStats) TotalCount() int { return s.Statistics.Total() }

// AverageRating returns nil if there are no comments.
func (s ProductStats) AverageRating() *float64 { return ifAny(s.Statistics.Average()) }

// RatingCounts returns a row for each rating, 1 to 5.
func (s ProductStats) RatingCounts() []RatingCount { return ratingCounts(s.Statistics.Tally) }

func ratingCounts(t store.Tally) []RatingCount {
	rows := make([]RatingCount, len(t))
	for i, n := range t {
		rows[i] = RatingCount{Rating: i + 1, Count: n}
	}
	return rows
}

// LanguageCounts returns the languages with their counts, most comments first.
func (s ProductStats) LanguageCounts() []LanguageCount {
	if total := s.Statistics.Total(); s.Of.Languages != "" && total > 0 {
		return []LanguageCount{{Language: string(s.Of.Languages), Count: total, of: s.Statistics.Tally}}
	}
	rows := make([]LanguageCount, 0, len(s.Statistics.Languages))
	for language, n := range s.Statistics.Languages {
		rows = append(rows, LanguageCount{Language: language, Count: n, of: s.Statistics.Details[language].Of(0, 0)})
	}
	sortLanguages(rows)
	return rows
}

// LanguageCount is the number of comments in a language.
type LanguageCount struct {
	Language string
	Count    int

	of store.Tally
}

// RatingCounts returns a row for each rating, 1 to 5.
func (c LanguageCount) RatingCounts() []RatingCount { return ratingCounts(c.of) }

func sortLanguages(rows []LanguageCount) {
	slices.SortFunc(rows, func(a, b LanguageCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Language, b.Language))
	})
}

// ErrUnlisted is the error for counts that the statistics of a product do not have.
var ErrUnlisted = errs.Errorf(errs.Unavailable, "The product has comments in more languages than its statistics can list: its operator can reduce them with product-comments product plain-languages, then run stats rebuild")

// Total returns the number of comments that pass a filter, from the statistics of all languages of
// its product. It returns an Unavailable error if they do not have it.
func Total(s store.Statistics, f plan.Filter) (int, error) {
	languages, err := languagesOf(s, f)
	if err != nil {
		return 0, err
	}
	by, ok := s.Counted(languages, f.Ratings, f.Which())
	if !ok {
		return 0, ErrUnlisted
	}
	return totalOf(by), nil
}

// NewCommentFacets returns the counts for other values of a filter, from the statistics of all
// languages of its product. It returns an Unavailable error if they do not have them.
func NewCommentFacets(s store.Statistics, f plan.Filter) (*CommentFacets, error) {
	languages, err := languagesOf(s, f)
	if err != nil {
		return nil, err
	}
	inAny, ok := s.Counted("", f.Ratings, f.Which())
	if !ok {
		return nil, ErrUnlisted
	}
	facets := &CommentFacets{LanguageCounts: make([]LanguageCount, 0, len(inAny))}
	for language, t := range inAny {
		facets.LanguageCounts = append(facets.LanguageCounts, LanguageCount{Language: language, Count: t.Total(), of: t})
	}
	sortLanguages(facets.LanguageCounts)
	var rated store.Tally
	anyRating, _ := s.Counted(languages, 0, f.Which())
	for _, t := range anyRating {
		for i, n := range t {
			rated[i] += n
		}
	}
	facets.RatingCounts = ratingCounts(rated)
	count := func(dimension store.Which) (with, without int) {
		by, _ := s.Counted(languages, f.Ratings, f.Which().With(dimension, true))
		all, _ := s.Counted(languages, f.Ratings, f.Which().With(dimension, false))
		with = totalOf(by)
		return with, totalOf(all) - with
	}
	facets.WithTextCount, facets.WithoutTextCount = count(store.Text)
	facets.WithPhotosCount, facets.WithoutPhotosCount = count(store.Photos)
	verified, unverified := count(store.Verified)
	facets.VerifiedCount, facets.UnverifiedCount = &verified, &unverified
	f.Incentives = plan.AnyIncentive // to count both
	facets.IncentivizedCount, facets.NotIncentivizedCount = count(store.Incentivized)
	return facets, nil
}

// languagesOf returns the languages that the filter matches.
func languagesOf(s store.Statistics, f plan.Filter) (key.Languages, error) {
	if !f.Regions {
		return f.Languages, nil
	}
	languages, ok := s.Regions(f.Languages)
	if !ok {
		return "", ErrUnlisted
	}
	return languages, nil
}

func totalOf(by map[string]store.Tally) (n int) {
	for _, t := range by {
		n += t.Total()
	}
	return n
}

// AttributeStats is the schema's type AttributeStats.
type AttributeStats struct {
	store.Attribute
	Summary store.Summary
	Of      *attributes.Definition
}

// IsOfNumbers reports whether the attribute's values are numbers.
func (s AttributeStats) IsOfNumbers() bool { return s.Of.Type == attributes.Number }

// Count returns the number of comments with a value.
func (s AttributeStats) Count() int { return store.CountOf(s.Of.Type, s.Summary) }

// Average returns nil if there are no numbers.
func (s AttributeStats) Average() *float64 {
	average, ok := s.Summary.Average()
	return ifAny(average, ok && s.IsOfNumbers())
}

// Histogram returns the ranges with numbers.
func (s AttributeStats) Histogram() []store.Bucket {
	if !s.IsOfNumbers() {
		return []store.Bucket{}
	}
	return s.Summary.Histogram()
}

// booleans are the counted values of a boolean attribute.
var booleans = []attributes.Option{{Value: "true"}, {Value: "false"}}

// Choices returns a row for each choice.
func (s AttributeStats) Choices() []ChoiceCount {
	var options []attributes.Option
	switch s.Of.Type {
	case attributes.Choice:
		options = s.Of.Options
	case attributes.Boolean:
		options = booleans
	}
	return MapList(options, func(o *attributes.Option) ChoiceCount {
		return ChoiceCount{Choice: AttributeChoice{o}, Count: s.Summary.Choices[o.Value]}
	})
}
