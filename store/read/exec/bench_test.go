package exec

import (
	"context"
	"fmt"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/read/plan"
)

// BenchmarkPage merges a page of 21 from batches that are at hand, so all of
// the time is the merge's.
func BenchmarkPage(b *testing.B) {
	for _, chosen := range [][]int{nil, {1, 5}, {1, 4, 5}, {1, 2, 4, 5}} {
		p := plan.Choose(plan.Query{Filter: plan.Filter{ProductID: "42", Ratings: ratings(chosen...)}, Limit: 20})
		batches := map[string]Batch[int]{}
		scans := p.Root.(*plan.Merge).Scans
		for i, read := range scans {
			var batch Batch[int]
			for n := range 21 {
				at := position(1_000_000-n*len(scans)-i, "c") // the partitions take turns
				batch.Items = append(batch.Items, Item[int]{SortKey: at.SortKey(), Size: 300, Value: n})
				batch.Next = &at
			}
			batches[read.Partition.Value] = batch
		}
		fetch := func(_ context.Context, q Request) (Batch[int], error) {
			batch := batches[q.Partition.Value]
			batch.Items = batch.Items[:q.Limit]
			return batch, nil
		}
		b.Run(fmt.Sprintf("partitions=%d", len(scans)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				items, _, err := Page(b.Context(), p, Range{Descending: true}, Fetch[int](fetch))
				testkit.Need(b, err == nil && len(items) == 21, "%d items, %v", len(items), err)
			}
		})
	}
}
