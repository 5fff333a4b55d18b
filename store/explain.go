package store

import (
	"context"

	"product-comments/store/plan"
	"product-comments/store/table"
)

// Explain returns the plan by which Page would read a window, and does not read
// it. Planning itself may read some small items, see WithMeter. It returns an
// Unavailable error if the time is over before the plan is made.
func (s *Store) Explain(ctx context.Context, f plan.Filter, w Window) (plan.Plan, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	p, _, err := s.choose(ctx, f, w)
	if err == nil {
		err = ctx.Err()
	}
	return p, table.Failed("plan the page", err)
}

// Tree draws the plan of the page as a tree, with what it should cost and what reading the
// page did cost. What planning read is not in it.
func (p *Page) Tree() string { return p.Plan.Tree(p.Cost, len(p.Items)) }
