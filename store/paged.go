package store

import (
	"context"
	"time"

	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/offsets"
	"product-comments/store/pages"
	"product-comments/store/plan"
	"product-comments/store/scan"
)

// Offsets returns the numbered list of a filter, as of the time of the call. The filter must be
// canonical and offsets.Available. Offsets reads only the product's languages if the filter
// includes regions, and returns the errors of Page about them.
func (s *Store) Offsets(ctx context.Context, f plan.Filter) (offsets.List, error) {
	if f.Regions {
		now, err := s.settings.Recent(ctx)
		if err != nil {
			return offsets.List{}, err
		}
		languages, err := s.statistics.Languages(ctx, f, now)
		if err != nil {
			return offsets.List{}, err
		}
		f = f.WithLanguages(languages)
	}
	return offsets.Of(f, s.PageNumbers().Of(f.ProductID)), nil
}

// PositionOf returns the position of a comment in the list of a filter without Regions. ok is
// false if the list does not contain the comment. It returns an Unavailable error if the store
// does not answer.
func (s *Store) PositionOf(ctx context.Context, f plan.Filter, id string) (at key.Position, ok bool, err error) {
	c, err := s.Get(ctx, id)
	if err != nil || c == nil || c.State != item.Published || c.ProductID != f.ProductID ||
		!f.Created.Has(c.CreatedAt) ||
		!scan.Passes(plan.Only{Languages: f.Languages, Ratings: f.Ratings, Which: f.Which()}, c) {
		return at, false, err
	}
	at = c.Position()
	at.Segment = f.Order.SegmentOf(c.Rating)
	return at, true, nil
}

// Timeline returns the number of a product's comments for each day that has comments, in one
// language, or in all if language is empty. It covers the days from from on and before before;
// a zero time leaves that end open. It returns an Unavailable error if days are not counted or
// the store does not answer.
func (s *Store) Timeline(ctx context.Context, product, language string, from, before time.Time) ([]pages.Day, error) {
	return s.PageNumbers().Timeline(ctx, product, language, from, before)
}
