package store

import (
	"context"

	"product-comments/store/key"
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

// Actual returns what reading the page cost, to be held against its plan's
// estimates. What planning read is not in it.
func (p *Page) Actual() plan.Actual {
	return plan.Actual{
		Spent:      plan.Spent{Units: p.Cost.Units, Queries: p.Cost.Queries, Items: p.Cost.ItemsRead},
		RoundTrips: p.Cost.RoundTrips,
		Shown:      len(p.Items),
		Of:         p.spentOn,
	}
}

func (p *Page) spentOn(in key.Partition) plan.Spent {
	for _, c := range p.Cost.Partitions {
		if c.Partition == in {
			return plan.Spent{Units: c.Units, Queries: c.Queries, Items: c.Items}
		}
	}
	return plan.Spent{}
}
