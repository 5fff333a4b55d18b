package store

import (
	"context"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/index/pages"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/read/scan"
)

// Offsets returns the numbered list of a filter, given the page numbers of its products, such as
// PageNumbers().Of. The filter must be canonical and not OfAll. Offsets reads only the
// products' languages if the filter includes regions, and returns the errors of Page about them.
func (s *Store) Offsets(ctx context.Context, f plan.Filter, of ...*PageNumbers) (pages.List, error) {
	if f.Regions {
		now, err := s.settings.Recent(ctx)
		if err != nil {
			return pages.List{}, err
		}
		languages, err := s.statistics.Languages(ctx, f, now)
		if err != nil {
			return pages.List{}, err
		}
		f = f.WithLanguages(languages)
	}
	return pages.Of(f, pages.Together(of...)), nil
}

// Timeline returns the days with comments of some products; see pages.Timeline.
func Timeline(ctx context.Context, of []*PageNumbers, language string, from, until time.Time) ([]Day, error) {
	return pages.Timeline(ctx, of, language, from, until)
}

// LeavesPages reports whether the table's shop has switched page numbers off: then no list has page
// numbers, and no product has a timeline.
func (s *Store) LeavesPages(ctx context.Context) bool {
	now, err := s.settings.Recent(ctx)
	return err == nil && now.LeavesPages() // otherwise reading them returns the error
}

// PositionOf returns the position of a comment in the list of a filter without Regions; ok is
// false if the list does not contain the comment, or it is nil.
func PositionOf(f plan.Filter, c *Comment) (at key.Position, ok bool) {
	if c == nil || c.State != item.Published || !slices.Contains(f.Products(), c.ProductID) || !f.Created.Has(c.CreatedAt) ||
		!scan.Passes(plan.Only{Languages: f.Languages, Ratings: f.Ratings, Which: f.Which()}, &item.Stored{Comment: *c}) {
		return at, false
	}
	at = c.Position()
	at.Range = f.Order.RangeOf(c.Rating)
	return at, true
}
