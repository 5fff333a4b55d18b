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

// Offsets returns the list of a filter, which must be canonical and offsets.Available, as one
// whose comments are counted, as of now. It reads nothing but languages with a region, and
// returns the errors of Page about them.
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
	return offsets.Of(f, s.PageNumbers().Of(ctx, f.ProductID)), nil
}

// PositionOf returns the place of a comment in the list of a filter, without Regions; ok is false
// if there is no such comment in it. It returns an Unavailable error if the store does not
// answer.
func (s *Store) PositionOf(ctx context.Context, f plan.Filter, id string) (at key.Position, ok bool, err error) {
	c, err := s.Get(ctx, id)
	if err != nil || c == nil || c.State != item.Published || c.ProductID != f.ProductID || !f.Created.Has(c.CreatedAt) ||
		!scan.Passes(plan.Only{Languages: f.Languages, Ratings: f.Ratings, Which: f.Which()}, c) {
		return at, false, err
	}
	at = c.Position()
	at.Segment = f.Order.SegmentOf(c.Rating)
	return at, true, nil
}

// Timeline returns how many comments a product has of each day that has any, in a language,
// or in any if it is empty: from a day on and before another, zero for open ends. It returns
// an Unavailable error if they are not counted now, or the store does not answer.
func (s *Store) Timeline(ctx context.Context, product, language string, from, before time.Time) ([]pages.Day, error) {
	return s.PageNumbers().Timeline(ctx, product, language, from, before)
}
