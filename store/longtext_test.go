package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/plan"
)

// A filter by a text compares all of it, however long it is and whatever its column has
// room for: in every order, with and without a locale, of attributes that lists show and
// of others, alone and together, and of comments that were changed a moment ago.
func TestLongTextsAreEqualWhole(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	var defs []attributes.Definition
	for i, locale := range []string{"", "de"} {
		for _, shown := range []bool{true, false} {
			defs = append(defs, attributes.Definition{Key: fmt.Sprintf("%v%s", shown, locale), Type: attributes.Text, Locale: locale, Shown: shown, Position: i})
		}
	}
	long := func(of, tail string) string { return strings.Repeat(of, 1000/len(of)) + tail }
	there := []string{long("x", "-a"), long("x", "-b"), long("x", "-b "), long("ä", "A"), long("ä", "a"), long("\u200b", "1"), long("\u200b", "2"), long("x", "")[:260], long("x", "")[:261], "short"}
	absent := []string{long("x", "-c"), long("x", ""), long("x", "")[:900], long("ä", "á"), long("\u200b", "3")}
	s := storeWithAttributes(t, "42", defs)
	m := randomModel(r, "42", 50)
	give := func(c *store.Comment) {
		values := map[string]string{}
		for _, d := range defs {
			if r.IntN(2) > 0 {
				values[d.Key] = there[r.IntN(len(there))]
			}
		}
		c.Attributes, _ = json.Marshal(values)
	}
	for i := range m {
		give(&m[i])
	}
	importAll(t, s, m)
	project(t, s)
	used := map[plan.Strategy]int{}
	check := func(order plan.Order, given ...plan.AttributeFilter) {
		t.Helper()
		f := filterOf("42", "", 0)
		f.Order = order
		var err error
		if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", given); err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range m {
			if !slices.ContainsFunc(given, func(g plan.AttributeFilter) bool {
				value, _ := valueOf(&m[i], g.Key).(string)
				return !slices.Contains(g.Equals, value)
			}) {
				want = append(want, m[i].ID)
			}
		}
		page, err := s.Page(t.Context(), f, store.Window{Limit: 2})
		if errs.CodeOf(err) == errs.BadUserInput && len(given) > 1 { // it would cost too much
			return
		}
		if err != nil {
			t.Fatalf("%+v of %.20q: %v", order, given[0].Equals, err)
		}
		used[page.Plan.Strategy]++
		all, _, refused := walkPlaces(t, s, f, 7, r.IntN(2) == 0)
		if refused && len(given) > 1 {
			return
		}
		var got []string
		for _, c := range all {
			got = append(got, c.ID)
		}
		if order != (plan.Order{}) { // texts that agree in what is kept are in the order of time
			slices.Sort(got)
			slices.Sort(want)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%+v of %.20q and %d others, %+v\ngot  %q\nwant %q\n%s", order, given[0].Equals[0], len(given[0].Equals)-1, page.Plan.Strategy, got, want, page.Plan)
		}
	}
	orders := []plan.Order{{}, {Field: plan.ByRating}, {Field: plan.ByHelpful}}
	for _, d := range defs {
		orders = append(orders, plan.Order{Field: plan.ByAttribute, Attribute: d.Key, Ascending: true})
	}
	checkAll := func() {
		t.Helper()
		for i, d := range defs {
			for _, one := range []string{there[r.IntN(3)], there[3+r.IntN(2)], there[5+r.IntN(5)], absent[0], absent[1+r.IntN(4)]} {
				check(plan.Order{}, plan.AttributeFilter{Key: d.Key, Equals: []string{one}})
			}
			for range 3 {
				order := orders[r.IntN(len(orders))]
				check(order, plan.AttributeFilter{Key: d.Key, Equals: []string{there[r.IntN(2)], there[3+r.IntN(2)], absent[0], "short"}},
					plan.AttributeFilter{Key: defs[(i+1+r.IntN(3))%len(defs)].Key, Equals: slices.Concat(there[:7], absent)})
				check(order, plan.AttributeFilter{Key: d.Key, Equals: []string{absent[r.IntN(len(absent))]}})
			}
		}
	}
	checkAll()
	for range 12 { // laid over the columns until the projector has followed
		at := r.IntN(len(m))
		c := &m[at]
		give(c)
		var inputs []attributes.Input
		for _, d := range defs {
			value, _ := valueOf(c, d.Key).(string)
			if strings.Contains(value, "\u200b") {
				value = there[0]
			}
			inputs = append(inputs, attributes.Input{Key: d.Key, Value: value})
		}
		changed := update(t, s, store.Change{ID: c.ID, Attributes: inputs})
		c.Attributes = changed.Attributes
	}
	checkAll()
	project(t, s)
	checkAll()
	t.Logf("%v", used)
	for _, strategy := range []plan.Strategy{plan.InTurn, plan.Gather} {
		if used[strategy] == 0 {
			t.Errorf("no page was read by %s: %v", strategy, used)
		}
	}
}
