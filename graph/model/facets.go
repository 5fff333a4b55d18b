package model

import (
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// Total returns how many comments pass a filter, by the statistics of its product in
// any language. It returns an Unavailable error if they do not tell.
func Total(s stats.Statistics, f plan.Filter) (int, error) {
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

// NewCommentFacets returns what the statistics of a product in any language say of
// other choices of a filter. It returns an Unavailable error if they do not tell.
func NewCommentFacets(s stats.Statistics, f plan.Filter) (*CommentFacets, error) {
	languages, err := languagesOf(s, f)
	if err != nil {
		return nil, err
	}
	inAny, ok := s.Counted("", f.Ratings, f.Which())
	if !ok {
		return nil, ErrUnlisted
	}
	facets := &CommentFacets{Languages: make([]LanguageCount, 0, len(inAny))}
	for language, t := range inAny {
		facets.Languages = append(facets.Languages, LanguageCount{Language: language, Count: t.Total(), of: t})
	}
	sortLanguages(facets.Languages)
	var rated stats.Tally
	anyRating, _ := s.Counted(languages, 0, f.Which())
	for _, t := range anyRating {
		for i, n := range t {
			rated[i] += n
		}
	}
	facets.Ratings = ratingCounts(rated)
	facets.WithText, facets.WithoutText = facet(s, languages, f, func(w *stats.Which, yes bool) { w.Text = yes })
	verified, others := facet(s, languages, f, func(w *stats.Which, yes bool) { w.Verified = yes })
	facets.Verified, facets.NotVerified = &verified, &others
	return facets, nil
}

// facet returns how many comments there would be with a choice, and how many with its
// opposite.
func facet(s stats.Statistics, languages key.Languages, f plan.Filter, choose func(*stats.Which, bool)) (with, without int) {
	which := f.Which()
	choose(&which, true)
	chosen, _ := s.Counted(languages, f.Ratings, which)
	choose(&which, false)
	all, _ := s.Counted(languages, f.Ratings, which)
	with = totalOf(chosen)
	return with, totalOf(all) - with
}

// languagesOf returns what the filter's languages come to.
func languagesOf(s stats.Statistics, f plan.Filter) (key.Languages, error) {
	if !f.Regions {
		return f.Languages, nil
	}
	languages, ok := s.Regions(f.Languages)
	if !ok {
		return "", ErrUnlisted
	}
	return languages, nil
}

func totalOf(by map[string]stats.Tally) (n int) {
	for _, t := range by {
		n += t.Total()
	}
	return n
}
