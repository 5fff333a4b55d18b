package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/read/plan"
	"product-comments/store/table"
)

// Pages of families, and their numbers, cost what benchmarks.md says.
func TestCostsOfFamilies(t *testing.T) {
	s := storeWith(t, store.Options{MetaAge: time.Hour, CallTimeout: time.Minute})
	var all []store.Comment
	for i := range 25 * 60 { // of all products in turn
		all = append(all, store.Comment{ID: fmt.Sprintf("c%04d", i), ProductID: fmt.Sprint(i % 25), Rating: 1 + i*i%23%5, Language: "en",
			Text: strings.Repeat(fmt.Sprintf("word%d ", i), 40), CreatedAt: time.Unix(int64(i)*3600, 0)})
	}
	importAll(t, s, all)
	project(t, s)
	var rows [][]string
	for _, n := range []int{1, 2, 10, 25} {
		var ids []string
		var scopes []store.Scope
		for i := range n {
			ids, scopes = append(ids, fmt.Sprint(i)), append(scopes, store.Scope{ProductID: fmt.Sprint(i)})
		}
		f := plan.Filter{ProductID: "0"}
		if n > 1 {
			f = store.FilterOf(&store.Family{ID: "family", Products: ids})
		}
		of := func(change func(*plan.Filter)) func(context.Context) error {
			f := f
			change(&f)
			return func(ctx context.Context) error { _, err := s.Page(ctx, f, store.Window{Limit: 20}); return err }
		}
		row := []string{fmt.Sprint(n)}
		for _, do := range []func(context.Context) error{
			of(func(*plan.Filter) {}),
			of(func(f *plan.Filter) { f.Ratings = testkit.Value(key.RatingsOf(1, 4, 5))(t) }),
			of(func(f *plan.Filter) { f.Order.Field = plan.ByRating }),
			func(ctx context.Context) error { _, err := s.Statistics(store.Fresh(ctx), scopes); return err },
			func(ctx context.Context) error {
				var numbers []*store.PageNumbers
				for _, id := range ids {
					numbers = append(numbers, s.PageNumbers().Of(id))
				}
				l, err := s.Offsets(ctx, f, numbers...)
				if err == nil {
					_, _, err = l.At(ctx, 20*n+19)
				}
				return err
			},
		} {
			var units float64
			var trips int
			for range 2 { // the first time it learns what is remembered
				ctx, meter := table.WithMeter(t.Context())
				testkit.Must(t, do(ctx))
				units, trips = meter.Read()
			}
			row = append(row, fmt.Sprintf("%g in %d", units, trips))
		}
		rows = append(rows, row)
	}
	manual.Generated(t, "benchmarks.md", "costs of families", manual.Table(
		[]string{"products", "no filter", "ratings 1, 4, 5", "by rating", "counts", "where a page begins"}, rows))
}
