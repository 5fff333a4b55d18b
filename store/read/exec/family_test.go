package exec

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// A page of a family has the comments of its products in order, and costs at most what pages of the
// products may cost together: two units more for each than the literal version. Its products may
// join and leave between two pages; the comments of members that stay are shown once.
func TestPagesOfAFamily(t *testing.T) {
	strategies := map[plan.Strategy]int{}
	changed := 0
	check := func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 2, 3, 5, 25}).Draw(t, "products")
		products, ids := make([]product, n), make([]string, n)
		for m := range products {
			comments := drawHostile(t)
			if n > 5 {
				comments = comments[:min(len(comments), 30)]
			}
			products[m], ids[m] = newProduct(comments, func(i int) int { return i*n + m }), fmt.Sprint(m)
		}
		fetch := func(ctx context.Context, q Request) (Batch[string], error) {
			of := slices.Index(ids, q.ProductID)
			q.Partition.Value = strings.Replace(q.Partition.Value, "PRODUCT#"+q.ProductID, "PRODUCT#42", 1)
			return products[of].fetch(ctx, q)
		}
		f := drawFilter(t)
		f.ProductID = ""
		limit := rapid.SampledFrom([]int{1, 3, 10, 20, 50}).Draw(t, "limit")
		r := Range{Descending: rapid.Bool().Draw(t, "descending")}
		for range walkPages {
			leaving := rapid.IntRange(0, n).Draw(t, "leaving") // n for none
			members := slices.Delete(slices.Clone(ids), leaving, min(leaving+1, n))
			f.Family = plan.Family{ID: "bags", Members: key.ProductsOf(members...)}
			q, want, bound := plan.Query{Filter: f, Limit: limit}, []string(nil), 0.0
			for _, id := range members {
				p := &products[slices.Index(ids, id)]
				q.Members = append(q.Members, plan.Member{Product: id, Known: p.known(f)})
				bound += p.literalUnits(f, r, limit) + 2
				for _, at := range p.within(f, r, limit+1) {
					want = append(want, at.sortKey)
				}
			}
			q.Sum()
			slices.Sort(want)
			if r.Descending {
				slices.Reverse(want)
			}
			chosen := plan.Choose(q)
			items, cost, err := Page(context.Background(), chosen, r, Fetch[string](fetch))
			testkit.Must(t, err)
			var got []string
			for _, it := range items[:min(len(items), limit)] {
				got = append(got, it.SortKey)
			}
			testkit.Need(t, slices.Equal(got, want[:min(len(want), limit)]), "%v\n%v, not %v", chosen, got, want)
			testkit.Need(t, (len(items) > limit) == (len(want) > limit), "%d items of %d, %d wanted", len(items), len(want), limit)
			if inCorner(chosen, items[:min(len(items), limit)]) { // of a family that has one member left
				bound += 0.5
			}
			testkit.Need(t, cost.Units <= bound, "%v\na page costs %g units, it may cost %g: %+v", chosen, cost.Units, bound, cost)
			strategies[chosen.Strategy]++
			if w, ok := chosen.Root.(*plan.Within); ok && anyRead(w.Then) {
				changed++
			}
			if len(items) <= limit {
				return
			}
			end, _ := key.ParseSortKey(items[limit-1].SortKey)
			r.After = &end
		}
	}
	for tries := 0; tries == 0 || tries < 20 && (changed == 0 || strategies[plan.Filtered] == 0) && !t.Failed(); tries++ {
		rapid.Check(t, check)
	}
	t.Logf("pages by strategy: %v; %d changed to partitions", strategies, changed)
	testkit.Check(t, strategies[plan.Merged] != 0 && strategies[plan.Filtered] != 0 && changed != 0, "%v, %d changed", strategies, changed)
}

// anyRead reports whether a scan of a merge was read.
func anyRead(n plan.Node) bool {
	m, ok := n.(*plan.Merge)
	return ok && slices.ContainsFunc(m.Scans, func(s *plan.Scan) bool { return s.Actual.Queries > 0 })
}
