package demo

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// Every order of the bestseller goes with every filter, and no page costs more than one of
// a product of its size may. The table is in memory, where thousands of queries are soon
// answered.
func TestEveryOrderGoesWithEveryFilter(t *testing.T) {
	ctx, client := t.Context(), double.New(double.Options{}).Client("demo")
	st := store.New(client, "comments", store.Options{})
	testkit.Must(t, st.EnsureTable(ctx, true))
	project := func() { testkit.Value(storetest.ProjectOnce(ctx, client, st.Projector()))(t) }
	project()
	bestsellers := slices.DeleteFunc(Comments(), func(c store.Comment) bool { return c.ProductID != bestseller })
	testkit.Must(t, load(ctx, st, slog.New(slog.DiscardHandler), func() []store.Comment { return bestsellers }, func() {}))
	project()
	testkit.Must(t, st.Columns().Fill(ctx, bestseller))
	project()

	orders := []plan.Order{{Field: plan.ByRating}, {Field: plan.ByHelpful}}
	for _, d := range append(shared[:len(shared):len(shared)], own...) {
		orders = append(orders, plan.Order{Field: plan.ByAttribute, Attribute: d.Key})
	}
	equals := func(attribute, value string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Equals: []string{value}}
	}
	from := func(attribute, least string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Min: &least}
	}
	filters := [][]plan.AttributeFilter{
		{equals("comfort", "1")}, {from("comfort", "4")}, {equals("colour", "mustard")},
		{equals("litres", "30")}, {from("bought", "2025-01-01")}, {equals("use", "work")},
		{equals("litres", "25"), from("bought", "2024-06-01")}, {equals("use", "travel"), from("litres", "20")}, {equals("colour", "black"), equals("comfort", "2")},
	}
	asked, worst, worstOf := 0, 0.0, ""
	var longest time.Duration
	for _, order := range orders {
		for _, order.Ascending = range []bool{false, true} {
			for _, given := range filters {
				attributes := testkit.Value(st.AttributeFilters(ctx, bestseller, "attributes", given))(t)
				for rating := range 6 { // 0 for any
					f := plan.Filter{ProductID: bestseller, Order: order, Attributes: attributes}
					if rating > 0 {
						f.Ratings, _ = key.RatingsOf(rating)
					}
					began := time.Now()
					page, err := st.Page(ctx, f, store.Window{Limit: 20})
					asked, longest = asked+1, max(longest, time.Since(began))
					if err != nil {
						t.Errorf("%s, rating %d, %s: %v", order, rating, attributes, err)
						continue
					}
					if page.Cost.Units > worst {
						worst, worstOf = page.Cost.Units, fmt.Sprintf("%s, rating %d, %s\n%s", order, rating, attributes, page.Tree())
					}
				}
			}
		}
	}
	t.Logf("%d pages, the longest took %v, the worst cost %.1f read units: %s", asked, longest, worst, worstOf)
	if worst > 128 {
		t.Errorf("a page cost %.1f read units, it may cost 128", worst)
	}
}
