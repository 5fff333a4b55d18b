package store

import (
	"context"
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/index/pages"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/read/scan"
)

// Offsets returns the numbered list of a filter, given the tree of its product, such as
// PageNumbers().Of. The filter must be canonical and not OfAll. Offsets reads only the
// product's languages if the filter includes regions, and returns the errors of Page about them.
func (s *Store) Offsets(ctx context.Context, f plan.Filter, t pages.Tree) (pages.List, error) {
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
	return pages.Of(f, t), nil
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
