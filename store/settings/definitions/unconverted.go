package definitions

import (
	"context"
	"errors"

	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/table"
)

// errCommented ends the search for a product with comments.
var errCommented = errors.New("a product has comments")

// unconverted returns the keys of a scope's attributes whose values may no longer convert after
// a change of the effective definitions. There are none while no product of the scope has a
// published comment. It reads no values: attribute statistics have their number.
func (s *Store) unconverted(ctx context.Context, of Scope, was, is *attributes.Definitions) (keys []string, err error) {
	if keys = was.Unconverted(is); len(keys) == 0 {
		return nil, nil
	}
	err = s.Products(ctx, of, func(product string) error {
		some, _, err := s.t.Query(ctx, table.Query{Partition: key.PartitionAll(product), Limit: 1})
		if len(some) > 0 {
			return errCommented
		}
		return err
	})
	if errors.Is(err, errCommented) {
		return keys, nil
	}
	return nil, err
}
