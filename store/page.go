package store

import (
	"context"
	"slices"

	"product-comments/store/exec"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// Window is a stretch of a list of comments, newest first.
type Window struct {
	Limit    int  // comments at the most; 0 only asks whether there are any
	Backward bool // take the last of the range instead of the first
	// Both ends are exclusive; nil is open. Neither comment needs to exist.
	After, Before *key.Position
}

// Page is a stretch of a list of comments, newest first also when it was read
// backward.
type Page struct {
	Comments []Comment
	// HasNext is exact for a page read forward, HasPrevious for one read
	// backward. The other one tells whether the page was asked for from a
	// cursor at that side (Relay's specification allows both).
	HasNext, HasPrevious bool
	Plan                 plan.Plan // how it was read
	Cost                 exec.Cost
}

// Page reads a window of the comments that pass a filter, which must be
// canonical. One failed query fails the page: it returns an Unavailable error,
// never a part.
func (s *Store) Page(ctx context.Context, f plan.Filter, w Window) (Page, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	r := exec.Range{After: w.After, Until: w.Before, Descending: true}
	if w.Backward {
		r = exec.Range{After: w.Before, Until: w.After}
	}
	chosen := plan.Choose(plan.Query{Filter: f, Known: s.know(ctx, f), Limit: w.Limit})
	items, cost, err := exec.Page(ctx, chosen, r, s.fetch(f.ProductID))
	meter(ctx, cost.Units, cost.RoundTrips)
	if err != nil {
		return Page{}, failed("read the page", err)
	}
	more := len(items) > w.Limit
	items = items[:min(len(items), w.Limit)]
	p := Page{Comments: make([]Comment, len(items)), Plan: chosen, Cost: cost}
	for i, it := range items {
		p.Comments[i] = it.Value
		if err := s.unpack(ctx, &p.Comments[i]); err != nil {
			return Page{}, err
		}
	}
	if w.Backward {
		slices.Reverse(p.Comments)
		p.HasNext, p.HasPrevious = w.Before != nil, more || w.After != nil
	} else {
		p.HasNext, p.HasPrevious = more || w.Before != nil, w.After != nil
	}
	return p, nil
}
