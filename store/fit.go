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

// FitAttributes compares the attributes of a comment with the definitions of its
// product, before an import. It returns an Unavailable error if the store does not
// answer.
func (s *Store) FitAttributes(ctx context.Context, c *Comment) (Fit, error) {
	if len(c.Attributes) == 0 {
		return Fit{}, nil
	}
	d, err := s.attributes.Of(table.Patiently(ctx), c.ProductID)
	if err != nil {
		return Fit{}, err
	}
	if !d.Any() {
		return Fit{Unknown: true}, nil
	}
	undefined, ambiguous, problem := d.Check("attributes", c.Attributes)
	return Fit{Problem: problem, Ambiguous: ambiguous, Undefined: undefined}, nil
}
