package store

import (
	"context"

	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Explain returns the plan that Page would use for a window, without reading the page. Planning
// may read a few small items, see WithMeter. It returns an Unavailable error if the deadline
// passes first.
func (s *Store) Explain(ctx context.Context, f plan.Filter, w Window) (plan.Plan, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	p, _, err := s.choose(ctx, f, w)
	if err == nil {
		err = ctx.Err()
	}
	return p, table.Failed("plan the page", err)
}

// Tree draws the plan of the page as a tree with estimated and actual cost, without the reads
// of the planner.
func (p *Page) Tree() string { return p.Plan.Tree(p.Cost, len(p.Items)) }
