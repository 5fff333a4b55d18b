package store

import (
	"context"

	"product-comments/store/index/attributefilter"
	"product-comments/store/read/plan"
)

// How many filters by attributes a list takes, and how many values one of them.
const (
	MaxAttributeFilters = attributefilter.MaxFilters
	MaxAttributeValues  = attributefilter.MaxValues
)

// AttributeFilters checks the attribute filters of a product's list; see attributefilter.Filters.
func (s *Store) AttributeFilters(ctx context.Context, product, field string,
	given []plan.AttributeFilter) (plan.Attributes, error) {
	return s.lists.Filters(ctx, product, field, given)
}

// AttributeOrder checks that a product's list can be ordered by an attribute; see
// attributefilter.Order.
func (s *Store) AttributeOrder(ctx context.Context, product, field, attribute string) (sorting string, err error) {
	return s.lists.Order(ctx, product, field, attribute)
}

// CountByAttribute returns the number of comments that pass a filter, if attribute statistics
// have it exactly; see attributefilter.Count.
func (s *Store) CountByAttribute(ctx context.Context, f plan.Filter) (n int, ok bool, err error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.lists.Count(ctx, f)
}

// Extreme returns the least or the greatest number of an attribute. The argument counted has its
// statistics; see attributefilter.Extreme.
func (s *Store) Extreme(ctx context.Context, of Attribute, counted Summary, greatest bool) (extreme float64, ok bool, err error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.lists.Extreme(ctx, of, counted, greatest)
}
