package exec

import (
	"errors"
	"fmt"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/stats"
)

// A page with a bound never costs more, however far it reads through what is not wanted,
// and however it divides its last units among partitions.
func TestNoPagePassesItsBound(t *testing.T) {
	r := testkit.Random(t)
	const pages = 100
	stopped := 0
	for range pages {
		m := table{partitions: map[string][]spot{}, about: map[string]about{}}
		tree := &plan.Merge{}
		p := plan.Plan{Strategy: plan.Merged, Root: tree, Limit: 20, Bound: 0.5 + float64(r.IntN(60))/2}
		size := 100 + r.IntN(1000)
		for rating := range 1 + r.IntN(4) {
			in := key.PartitionByRating("42", rating+1)
			for i := range 500 {
				id := fmt.Sprintf("c%d.%03d", rating, i)
				m.partitions[in.Value] = append(m.partitions[in.Value], at(i, id))
				m.about[id] = about{language: "en", rating: rating + 1, size: size + r.IntN(1+size/10), text: r.IntN(100) == 0}
			}
			only := plan.Only{}
			only.Which = stats.Text
			tree.Scans = append(tree.Scans, &plan.Scan{Span: key.Span{Partition: in}, Only: only, Share: 0.01 + r.Float64()/20, Limit: 1 + r.IntN(500), Each: float64(size+len(in.Index.PartitionKey)+len(in.Value)) / 8192})
		}
		_, cost, err := Page(t.Context(), p, Range{Descending: true}, Fetch[string](m.fetch))
		testkit.Need(t, err == nil || errors.Is(err, ErrBound), "%v", err)
		testkit.Check(t, cost.Units <= p.Bound, "%d partitions of comments of about %d bytes: %.1f read units, at most %.1f", len(tree.Scans), size, cost.Units, p.Bound)
		if err != nil {
			stopped++
		}
	}
	testkit.Check(t, stopped >= pages/4, "only %d of %d pages stopped at their bounds", stopped, pages)
}
