package exec

import (
	"context"

	"product-comments/store/plan"
)

// either reads the larger partition as long as the plan says so, and then merges the smaller
// partitions from there on.
func (x *executor[T]) either(ctx context.Context, n *plan.Either) error {
	at := plan.Progress{FoundBytes: make([]int, len(n.Then.Scans))}
	for limit := n.First.Limit; limit > 0; limit = n.ReadOn(at) {
		b, err := x.scan(ctx, n.First, x.in, limit)
		if err != nil {
			return err
		}
		x.paid(n.First, b)
		x.cost.RoundTrips++
		at.Evaluated += max(b.Evaluated, len(b.Items))
		at.Found += len(b.Items)
		at.Blocks += int(b.Units * 2)
		for _, item := range b.Items {
			if part := n.Then.Part(item.Language, item.Rating); part >= 0 {
				at.FoundBytes[part] += item.Size
			}
		}
		x.out = append(x.out, b.Items[:min(len(b.Items), x.missing())]...)
		if x.missing() == 0 || b.Next == nil {
			return nil
		}
		x.in.After = b.Next
	}
	return x.merge(ctx, n.Then)
}
