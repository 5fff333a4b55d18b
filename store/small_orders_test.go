package store_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// mostOfSmall is what a page of a product with at most plan.Small comments may cost, in
// read units.
const mostOfSmall = 128

// On a product that is not large every order goes with every filter: no page is refused,
// each is that of a sort in memory, and none costs more than it may. What its authors
// think of its comfort goes with their ratings, which no statistics tell. Of all tests, three
// products are asked, for what a page costs depends on the data, and one of them is larger;
// SMALL_COMMENTS=10000 makes them as large as they may be.
func TestNothingIsRefusedOnASmallProduct(t *testing.T) {
	seed := testkit.Seed(t)
	sizes := []int{500}
	if testkit.All(t) {
		sizes = append(sizes, 500, 1500)
	}
	for i, n := range sizes {
		if given, err := strconv.Atoi(os.Getenv("SMALL_COMMENTS")); err == nil {
			n = given
		}
		t.Run(fmt.Sprintf("product %d has %d comments", i, n), func(t *testing.T) {
			inMemory(t, func(t *testing.T) { nothingIsRefused(t, n, rand.New(rand.NewPCG(seed, 1+uint64(i)))) })
		})
	}
}

// nothingIsRefused asks a product of so many random comments.
func nothingIsRefused(t *testing.T, n int, r *rand.Rand) {
	options := func(values ...string) (list []attributes.Option) {
		for _, v := range values {
			list = append(list, attributes.Option{Value: v})
		}
		return list
	}
	defs := []attributes.Definition{
		{Key: "comfort", Type: attributes.Number, Shown: true, Position: 0},
		{Key: "colour", Type: attributes.Choice, Shown: true, Position: 1, Options: options("black", "blue", "mustard")},
		{Key: "litres", Type: attributes.Number, Position: 2},
		{Key: "bought", Type: attributes.Date, Position: 3},
		{Key: "use", Type: attributes.Choice, Position: 4, Options: options("hiking", "school", "travel", "work")},
	}
	s := storeWithAttributes(t, "42", defs)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var m model
	for i := range n {
		rating := []int{1, 2, 3, 3, 4, 4, 5, 5, 5, 5, 5}[r.IntN(11)]
		says := map[string]any{}
		if r.IntN(10) < 6 {
			says["comfort"] = min(5, max(1, rating+r.IntN(3)-1))
		}
		if r.IntN(10) < 8 {
			says["colour"] = []string{"black", "black", "blue", "mustard"}[r.IntN(4)]
		}
		if r.IntN(10) < 8 {
			says["litres"] = []int{20, 25, 25, 30, 30}[r.IntN(5)]
		}
		if r.IntN(4) == 0 {
			says["bought"] = at.AddDate(0, 0, -r.IntN(300)).Format(time.DateOnly)
		}
		if r.IntN(10) < 3 {
			says["use"] = []string{"hiking", "school", "travel", "work"}[r.IntN(4)]
		}
		raw := testkit.Value(json.Marshal(says))(t)
		text := make([]byte, 100)
		for j := range text {
			text[j] = byte('a' + r.IntN(26))
		}
		c := store.Comment{
			ID: fmt.Sprintf("c%05d", i), ProductID: "42", Rating: rating, Language: []string{"en", "de"}[r.IntN(2)],
			CreatedAt: at.Add(time.Duration(i) * time.Minute), Text: string(text), Attributes: raw,
		}
		if helpful := r.IntN(6); helpful > 2 {
			c.Helpful = &helpful
		}
		m = append(m, c)
	}
	importAll(t, s, m)
	project(t, s)

	var orders []plan.Order
	for _, ascending := range []bool{false, true} {
		for _, field := range []plan.Field{plan.ByTime, plan.ByRating, plan.ByHelpful} {
			orders = append(orders, plan.Order{Field: field, Ascending: ascending})
		}
		for _, d := range defs {
			orders = append(orders, plan.Order{Field: plan.ByAttribute, Attribute: d.Key, Ascending: ascending})
		}
	}
	equals := func(attribute string, values ...string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Equals: values}
	}
	from := func(attribute, least string) plan.AttributeFilter {
		return plan.AttributeFilter{Key: attribute, Min: &least}
	}
	filters := [][]plan.AttributeFilter{
		nil, {equals("comfort", "1")}, {equals("comfort", "5")}, {from("comfort", "4")}, {equals("colour", "mustard")},
		{from("litres", "25")}, {from("bought", "2025-11-01")}, {equals("use", "work")},
		{equals("comfort", "1"), equals("use", "work")}, {equals("litres", "30"), from("bought", "2025-06-01")}, {equals("litres", "30"), equals("colour", "black")},
	}
	worst, worstOf := 0.0, ""
	asked, refused := 0, 0
	for _, order := range orders {
		for _, given := range filters {
			for _, ratings := range [][]int{nil, {1}} {
				f := plan.Filter{ProductID: "42", Order: order}
				f.Ratings, _ = key.RatingsOf(ratings...)
				if !order.ByValue() && asked%3 > 0 {
					f.Created = m.randomTimes(r)
				}
				var err error
				f.Attributes, err = s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", given)
				testkit.Need(t, err == nil, "%v", err)
				page, err := s.Page(t.Context(), f, store.Window{Limit: 20})
				asked++
				what := fmt.Sprintf("%s, ratings %v, %s %s", order, ratings, f.Attributes, f.Created)
				if err != nil {
					p, _ := s.Explain(t.Context(), f, store.Window{Limit: 20})
					if refused++; refused < 10 {
						t.Errorf("%s: %v\n%s", what, err, p)
					}
					continue
				}
				want := m.ordered(f, defs)
				if ids(of(page.Items)) != ids(want[:min(len(want), 20)]) || page.HasNext != (len(want) > 20) {
					t.Fatalf("%s\ngot  %s\nwant %s\n%s", what, ids(of(page.Items)), ids(want[:min(len(want), 20)]), page.Tree())
				}
				if page.Cost.Units > worst {
					worst, worstOf = page.Cost.Units, what+"\n"+page.Tree()
				}
			}
		}
	}
	t.Logf("%d pages of %d comments, %d refused; the worst cost %.1f read units: %s", asked, n, refused, worst, worstOf)
	testkit.Check(t, refused <= 0, "%d of %d pages were refused", refused, asked)
	testkit.Check(t, worst <= mostOfSmall, "a page cost %.1f read units, it may cost %d", worst, mostOfSmall)
}
