package resolvers

import (
	"product-comments/store/item"
	"product-comments/store/plan"
)

// parseFilter reads the arguments that choose among a product's comments.
func parseFilter(productID string, language *string, ratings []int) (plan.Filter, error) {
	f := plan.Filter{ProductID: productID}
	var err error
	if f.Language, err = parseLanguage(language); err != nil {
		return f, err
	}
	f.Ratings, err = item.ValidateRatings("ratings", ratings)
	return f, err
}

// parseLanguage returns the empty language, which is any, for null.
func parseLanguage(tag *string) (string, error) {
	if tag == nil {
		return "", nil
	}
	return item.CanonicalLanguage("language", *tag)
}
