package attributes

import (
	"context"
	"errors"
	"maps"
	"slices"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/table"
)

// MaxCounted bounds how many comments are read to count values that cannot be converted:
// separately for the scope's published comments and for the shop's unpublished ones.
const MaxCounted = 10000

// Unconverted counts the comments whose value of an attribute can no longer be converted after
// a change of definitions.
type Unconverted struct {
	Key     string
	Count   int
	Counted bool // false if there are more than MaxCounted comments
}

// errTooMany ends the reading of comments.
var errTooMany = errors.New("there are too many comments")

// shift is a change of the effective definitions of a product.
type shift struct{ was, is *Definitions }

// unconverted counts the values that can be converted under the definitions before and not
// after, both with inherited ones. Changes that cannot affect a value cost nothing.
func (s *Store) unconverted(ctx context.Context, of Scope, before, after []Definition) ([]Unconverted, error) {
	whole, err := s.change(ctx, of, of.Product, before, after)
	if err != nil {
		return nil, err
	}
	return s.count(ctx, of, whole, func(product string) (shift, error) {
		return s.change(ctx, of, product, before, after)
	})
}

// unassigned counts the values that can be converted while a product is in one group and not in
// another; an empty name is no group.
func (s *Store) unassigned(ctx context.Context, product, from, to string) ([]Unconverted, error) {
	own, err := s.Own(ctx, Scope{Product: product})
	if err != nil {
		return nil, err
	}
	in := func(group string) (*Definitions, error) {
		if group == "" {
			return Effective(group, own, "", nil), nil
		}
		inherited, err := s.Own(ctx, Scope{Group: group})
		return Effective(group, own, group, inherited), err
	}
	var whole shift
	if whole.was, err = in(from); err == nil {
		whole.is, err = in(to)
	}
	if err != nil {
		return nil, err
	}
	return s.count(ctx, Scope{Product: product}, whole, func(string) (shift, error) { return whole, nil })
}

// count counts the values that can no longer be converted after a change of a scope's
// definitions, in published and unpublished comments, given the change for each product.
func (s *Store) count(ctx context.Context, of Scope, whole shift,
	in func(product string) (shift, error)) ([]Unconverted, error) {
	var at []string
	for _, def := range whole.was.list {
		if takes(&def, whole.is.Get(def.Key)) {
			at = append(at, def.Key)
		}
	}
	if len(at) == 0 {
		return nil, nil
	}
	counts := map[string]int{}
	add := func(sh shift, c *item.Stored) {
		lost := map[string]bool{}
		for _, v := range sh.was.Values(c.Attributes) {
			lost[v.Key] = true
		}
		for _, v := range sh.is.Values(c.Attributes) {
			delete(lost, v.Key)
		}
		for k := range lost {
			counts[k]++
		}
	}
	// Unpublished comments first: a comment that is approved in the meantime is then found
	// among the published ones. Each counts once, wherever it moves.
	counted, err := s.countHidden(ctx, of, in, add)
	read := 0
	if err == nil {
		err = s.Products(ctx, of, func(product string) error {
			sh, err := in(product)
			if err != nil {
				return err
			}
			return item.EachWhole(ctx, s.t, product, func(_ table.Item, c *item.Stored) error {
				if read++; read > MaxCounted {
					return errTooMany
				}
				if !counted[c.ID] {
					counted[c.ID] = true
					add(sh, c)
				}
				return nil
			})
		})
	}
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

// takes reports whether values may no longer be convertible after a change of a definition; to
// is nil if it is removed.
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

// change returns the effect of a change of a scope's definitions on a product, or on the group
// itself if product is empty.
func (s *Store) change(ctx context.Context, of Scope, product string, before, after []Definition) (shift, error) {
	if product == "" {
		return shift{Effective("was", before, "", nil), Effective("is", after, "", nil)}, nil
	}
	if of.Group == "" {
		group, err := s.GroupOf(ctx, product)
		if err != nil || group == "" {
			return shift{Effective("was", before, "", nil), Effective("is", after, "", nil)}, err
		}
		inherited, err := s.Own(ctx, Scope{Group: group})
		return shift{Effective("was", before, group, inherited), Effective("is", after, group, inherited)}, err
	}
	own, err := s.Own(ctx, Scope{Product: product})
	return shift{Effective("was", own, of.Group, before), Effective("is", own, of.Group, after)}, err
}

// countHidden calls add with the attributes of a scope's unpublished comments, and returns the
// ids of the comments that it has read. No list has unpublished comments by product, so it
// reads the ones of all products. It returns errTooMany if there are too many.
func (s *Store) countHidden(ctx context.Context, of Scope, in func(product string) (shift, error),
	add func(shift, *item.Stored)) (read map[string]bool, err error) {
	read = map[string]bool{}
	for state := range item.States {
		if state == item.Published {
			continue
		}
		for part := range key.QueueParts {
			err := s.t.Each(ctx, key.QueuedIn(state.String(), "", false, part).All, func(it table.Item) error {
				if id, ok := key.CaseOf(table.Text(it, key.PK)); ok {
					read[id] = true
				}
				if len(read) > MaxCounted {
					return errTooMany
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	shifts := map[string]*shift{} // by product; nil for products outside the scope
	err = item.EachOf(ctx, s.t, slices.Sorted(maps.Keys(read)), func(_ table.Item, c *item.Stored) (err error) {
		if c.State == item.Published { // published since the queue was read
			delete(read, c.ID)
			return nil
		}
		if len(c.Attributes) == 0 {
			return nil
		}
		sh, known := shifts[c.ProductID]
		if !known {
			if len(shifts) == mostShifts {
				clear(shifts)
			}
			if sh, err = s.shiftOf(ctx, of, c.ProductID, in); err != nil {
				return err
			}
			shifts[c.ProductID] = sh
		}
		if sh != nil {
			add(*sh, c)
		}
		return nil
	})
	return read, err
}

// mostShifts bounds the number of products whose definitions are in memory at once.
const mostShifts = 256

// shiftOf returns the effect of a change on a product, nil if the product is outside the scope.
func (s *Store) shiftOf(ctx context.Context, of Scope, product string,
	in func(product string) (shift, error)) (*shift, error) {
	if of.Group != "" {
		if group, err := s.GroupOf(ctx, product); err != nil || group != of.Group {
			return nil, err
		}
	} else if product != of.Product {
		return nil, nil
	}
	sh, err := in(product)
	return &sh, err
}
