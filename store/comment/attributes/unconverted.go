package attributes

import (
	"context"
	"errors"
	"slices"

	"product-comments/store/key"
	"product-comments/store/table"
)

// errCommented ends the search for a product with comments.
var errCommented = errors.New("a product has comments")

// unconverted returns the keys of a scope's attributes whose values may no longer convert after
// a change of the effective definitions. There are none while no product of the scope has a
// published comment. It reads no values: attribute statistics have their number.
func (s *Store) unconverted(ctx context.Context, of Scope, was, is *Definitions) (keys []string, err error) {
	for _, def := range was.list {
		if takes(&def, is.Get(def.Key)) {
			keys = append(keys, def.Key)
		}
	}
	if len(keys) == 0 {
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

// takes reports whether values may no longer convert after a change of a definition; to is nil
// if it is removed.
func takes(from, to *Definition) bool {
	switch {
	case to == nil:
		return true
	case to.Type == Text: // a value of any other type is a short text
		return false
	case to.Type != from.Type, to.Type == Date && to.Locale != from.Locale:
		return true
	}
	return slices.ContainsFunc(from.Options, func(o Option) bool { _, stays := to.places[o.Value]; return !stays })
}
