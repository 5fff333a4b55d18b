package attributes

import (
	"context"
	"errors"
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// MaxCounted is the most comments that are read to count what does not convert.
const MaxCounted = 10000

// Unconverted says of an attribute how many comments have a value that a change of
// definitions takes from it.
type Unconverted struct {
	Key     string
	Count   int
	Counted bool // false if there are more than MaxCounted comments
}

// errTooMany ends the reading of comments.
var errTooMany = errors.New("there are too many comments")

// unconverted counts the values that convert under some definitions and not under
// others, those of a product's group included. Only changes that can take a value
// cost anything.
func (s *Store) unconverted(ctx context.Context, of Scope, before, after []Definition) ([]Unconverted, error) {
	was, is, err := s.change(ctx, of, of.Product, before, after)
	if err != nil {
		return nil, err
	}
	var at []string
	for _, def := range was.list {
		if takes(&def, is.Of(def.Key)) {
			at = append(at, def.Key)
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	counts, read := map[string]int{}, 0
	err = s.Products(ctx, of, func(product string) error {
		was, is, err := s.change(ctx, of, product, before, after)
		if err != nil {
			return err
		}
		return s.eachAttributes(ctx, product, &read, func(raw []byte) {
			lost := map[string]bool{}
			for _, v := range was.Values(raw) {
				lost[v.Key] = true
			}
			for _, v := range is.Values(raw) {
				delete(lost, v.Key)
			}
			for k := range lost {
				counts[k]++
			}
		})
	})
	if err != nil && !errors.Is(err, errTooMany) {
		return nil, err
	}
	var out []Unconverted
	for _, k := range at {
		if err != nil {
			out = append(out, Unconverted{Key: k})
		} else if counts[k] > 0 {
			out = append(out, Unconverted{k, counts[k], true})
		}
	}
	return out, nil
}

// takes tells whether a change of a definition can take values from its attribute; to
// is nil if there is none any more.
func takes(from, to *Definition) bool {
	switch {
	case to == nil:
		return true
	case to.Type == Text: // whatever converts to another type is a short text
		return false
	case to.Type != from.Type, to.Type == Date && to.Locale != from.Locale:
		return true
	}
	return slices.ContainsFunc(from.Options, func(o Option) bool { _, stays := to.places[o.Value]; return !stays })
}

// change returns the effective definitions of a product before and after a change; of no
// product those of a group alone.
func (s *Store) change(ctx context.Context, of Scope, product string, before, after []Definition) (was, is *Definitions, err error) {
	if product == "" {
		return Effective("was", before, "", nil), Effective("is", after, "", nil), nil
	}
	if of.Group == "" {
		group, err := s.GroupOf(ctx, product)
		if err != nil || group == "" {
			return Effective("was", before, "", nil), Effective("is", after, "", nil), err
		}
		inherited, err := s.Own(ctx, Scope{Group: group})
		return Effective("was", before, group, inherited), Effective("is", after, group, inherited), err
	}
	own, err := s.Own(ctx, Scope{Product: product})
	return Effective("was", own, of.Group, before), Effective("is", own, of.Group, after), err
}

// eachAttributes calls each with the attributes of a product's comments that have
// any. read counts the comments; it returns errTooMany once there are too many.
func (s *Store) eachAttributes(ctx context.Context, product string, read *int, each func(raw []byte)) error {
	var keys []table.Item
	flush := func() error {
		err := s.t.GetMany(ctx, keys, false, func(it table.Item) {
			if raw := table.Text(it, item.AttrAttributes); raw != "" {
				each([]byte(raw))
			}
		})
		keys = keys[:0]
		return err
	}
	err := s.t.Each(ctx, key.PartitionAll(product), func(it table.Item) error {
		if *read++; *read > MaxCounted {
			return errTooMany
		}
		if keys = append(keys, table.Primary(it)); len(keys) < table.MaxBatchGet {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}
