package resolvers

import (
	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// parseFilter reads the arguments that choose among a product's comments.
func parseFilter(productID string, language *string, ratings []int) (plan.Filter, error) {
	f := plan.Filter{ProductID: productID}
	tag, wrongLanguage := parseLanguage(language)
	f.Languages = key.Languages(tag)
	var wrongRatings error
	f.Ratings, wrongRatings = item.ValidateRatings("ratings", ratings)
	return f, errs.Join(wrongLanguage, wrongRatings)
}

// parseLanguage returns the empty language, which is any, for none.
func parseLanguage(tag *string) (string, error) {
	if none(tag) {
		return "", nil
	}
	return item.CanonicalLanguage("language", *tag)
}

// none reports whether an argument was not given: clients that have no null, or do
// not care to send it, send an empty string.
func none(argument *string) bool { return argument == nil || *argument == "" }
