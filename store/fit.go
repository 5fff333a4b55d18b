package store

import (
	"context"

	"product-comments/store/table"
)

// Fit is the result of checking a comment's attributes against the definitions of its product.
type Fit struct {
	// Problem has a BadUserInput error for each value that cannot be converted; nil if there is
	// none.
	Problem error
	// Ambiguous has a BadUserInput error for each number in a text such as 1.000, which may
	// mean 1 or 1000. Callers may ignore it for texts that programs wrote.
	Ambiguous error
	// Undefined are keys without a definition; their values are kept.
	Undefined []string
	// Unknown is true if the comment has attributes and its product has no definitions.
	Unknown bool
}

// FitAttributes checks the attributes of comments against the definitions of their products, before
// an import, and returns one result for each comment. It reads the definitions of many products
// with one call.
func (s *Store) FitAttributes(ctx context.Context, comments []Comment) ([]Fit, error) {
	ctx = table.Patiently(ctx)
	var products []string
	for i := range comments {
		if len(comments[i].Attributes) > 0 {
			products = append(products, comments[i].ProductID)
		}
	}
	if err := s.attributes.Prefetch(ctx, products); err != nil {
		return nil, err
	}
	fits := make([]Fit, len(comments))
	for i := range comments {
		c, fit := &comments[i], &fits[i]
		if len(c.Attributes) == 0 {
			continue
		}
		d, err := s.attributes.Definitions(ctx, c.ProductID)
		if err != nil {
			return nil, err
		}
		if fit.Unknown = !d.Any(); !fit.Unknown {
			fit.Undefined, fit.Ambiguous, fit.Problem = d.Check("attributes", c.Attributes)
		}
	}
	return fits, nil
}
