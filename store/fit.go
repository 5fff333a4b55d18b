package store

import (
	"context"

	"product-comments/store/table"
)

// Fit is how the attributes of a comment go together with the definitions of its
// product.
type Fit struct {
	// Problem is a BadUserInput error for each value that does not convert, nil for none.
	Problem error
	// Ambiguous is one for each number that converts, and is a text such as 1.000, which
	// people may have written for 1 or 1000. Who knows that programs wrote them may take
	// them.
	Ambiguous error
	// Undefined are keys that have no definition; what they hold is kept.
	Undefined []string
	// Unknown is true for a comment with attributes whose product has no definitions.
	Unknown bool
}

// FitAttributes compares the attributes of comments with the definitions of their
// products, before an import, and returns one result a comment. Which definitions the
// products have it reads for many at once. It returns an Unavailable error if the store
// does not answer.
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
