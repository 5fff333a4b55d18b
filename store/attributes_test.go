package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/item"
	"product-comments/store/comment/moderation"
	"product-comments/store/errs"
	"product-comments/store/read/plan"
	"product-comments/store/settings/definitions"
	"product-comments/store/simulation/double"
	"product-comments/store/storetest"
)

// define gives a product definitions, before it has comments.
func define(t *testing.T, s *store.Store, product string, list []attributes.Definition) {
	t.Helper()
	if _, err := s.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: product}, Definitions: list}); err != nil {
		t.Fatal(err)
	}
	testkit.Must(t, s.AttributeIndex().Backfill().Finish(t.Context(), product, true, nil))
}

// What has come to be shown is not looked for in lists before all comments carry it there.
func TestShownOnceAllCarryIt(t *testing.T) {
	client := double.New(double.Options{}).Client("test")
	s := store.New(client, "comments", store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	keep := func() {
		t.Helper()
		if _, err := storetest.ProjectOnce(t.Context(), client, s.Projector()); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	fit := attributes.Definition{Key: "fit", Type: attributes.Number}
	define(t, s, "42", []attributes.Definition{fit})
	importAll(t, s, model{{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0), Attributes: json.RawMessage(`{"fit":3}`)}})
	keep()
	fit.Shown = true
	if _, err := s.Attributes().Define(t.Context(), definitions.Change{Scope: definitions.Scope{Product: "42"}, Definitions: []attributes.Definition{fit}}); err != nil {
		t.Fatal(err)
	}
	three := "3"
	given, err := s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", []plan.AttributeFilter{{Key: "fit", Min: &three}})
	testkit.Must(t, err)
	for _, order := range []plan.Order{{}, {Field: plan.ByRating}, {Field: plan.ByAttribute, Attribute: "fit"}} {
		page, err := s.Page(t.Context(), plan.Filter{ProductID: "42", Order: order, Attributes: given}, store.Window{Limit: 5})
		testkit.Check(t, err == nil && len(page.Items) == 1, "%s: %d comments, %v\n%s", order, len(page.Items), err, page.Plan)
	}
}

// A published comment loses a value to a change of definitions only if the change is forced. A
// comment that is approved during the backfill shows what the definitions say by then.
func TestChangesOfDefinitionsTakeValues(t *testing.T) {
	t.Parallel()
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: time.Nanosecond, Moderation: moderation.Options{Mode: moderation.Pre}})
	project(t, s)
	defs := s.Attributes()
	size := attributes.Definition{Key: "size", Type: attributes.Choice, Options: []attributes.Option{{Value: "S"}, {Value: "M"}}}
	fit := attributes.Definition{Key: "fit", Type: attributes.Number}
	create := func(product string) string {
		t.Helper()
		c, err := s.Create(t.Context(), store.NewComment{ProductID: product, Rating: 5, Language: "en", Owner: "alice", Attributes: []attributes.Input{{Key: "size", Value: "S"}}})
		testkit.Need(t, err == nil && c.State == item.Pending, "%+v, %v", c, err)
		return c.ID
	}
	change := func(of definitions.Scope, list ...attributes.Definition) error {
		_, err := defs.Define(t.Context(), definitions.Change{Scope: of, Definitions: list})
		return err
	}
	wantConflict := func(what string, err error) {
		t.Helper()
		testkit.Check(t, errs.CodeOf(err) == errs.Conflict && strings.Contains(err.Error(), `"size"`), "%s: %v, want a conflict", what, err)
	}
	of := definitions.Scope{Product: "42"}
	define(t, s, "42", []attributes.Definition{size, fit})
	pending := create("42")
	testkit.Must(t, change(of, fit)) // no comment is published
	testkit.Must(t, change(of, size, fit))
	decide(t, s, create("42"), moderation.Approve)
	wantConflict("a published comment", change(of, fit))
	if d, err := defs.CurrentDefinitions(t.Context(), "42"); err != nil || d.Get("size") == nil {
		t.Errorf("refused, it has %+v, %v", d.List(), err)
	}
	// To a text no value is lost; the comment that is approved then is found by it.
	asText := attributes.Definition{Key: "size", Type: attributes.Text, Shown: true}
	testkit.Must(t, change(of, asText, fit))
	filled := make(chan error, 1)
	go func() { filled <- s.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil) }()
	decide(t, s, pending, moderation.Approve)
	for done := false; !done; {
		select {
		case err := <-filled:
			if done = true; err != nil {
				t.Fatal(err)
			}
		default:
		}
		project(t, s)
	}
	f := filterOf("42", "", 0)
	f.Attributes = testkit.Value(s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", []plan.AttributeFilter{{Key: "size", Equals: []string{"S"}}}))(t)
	page, err := s.Page(t.Context(), f, store.Window{Limit: 10})
	if err != nil || !slices.ContainsFunc(page.Items, func(c *store.Comment) bool { return c.ID == pending }) {
		t.Errorf("%+v, %v: the comment that was approved is missing", page.Items, err)
	}
	lost, err := defs.Define(t.Context(), definitions.Change{Scope: of, Force: true})
	testkit.Check(t, err == nil && slices.Equal(lost, []string{"fit", "size"}), "forced it took %v, %v", lost, err)

	// The products of a group count, and no others.
	shoes, boots := definitions.Scope{Group: "shoes"}, definitions.Scope{Group: "boots"}
	testkit.Must(t, change(shoes, size, fit))
	testkit.Must(t, change(boots, asText, fit))
	assign := func(product, group string, force bool) error {
		return defs.Assign(t.Context(), definitions.Assignment{Product: product, Group: group, Force: force})
	}
	testkit.Must(t, assign("1", "shoes", false))
	testkit.Must(t, assign("2", "shoes", false))
	testkit.Must(t, change(shoes, fit))
	testkit.Must(t, change(shoes, size, fit))
	decide(t, s, create("2"), moderation.Approve)
	wantConflict("a group", change(shoes, fit))
	testkit.Must(t, assign("1", "", false))
	wantConflict("taken out of its group", assign("2", "", false))
	if group, err := defs.GroupOf(t.Context(), "2"); err != nil || group != "shoes" {
		t.Errorf("refused, it is in %q, %v", group, err)
	}
	testkit.Must(t, assign("2", "boots", false)) // where size is a text
	wantConflict("taken out of another group", assign("2", "", false))
	testkit.Must(t, assign("2", "", true))
}

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
		if f.Attributes, err = s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", given); err != nil {
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
		testkit.Need(t, err == nil, "%+v of %.20q: %v", order, given[0].Equals, err)
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
	for range 12 { // in the overlay until the projector has followed
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
	for _, strategy := range []plan.Strategy{plan.Concatenated, plan.Gather} {
		testkit.Check(t, used[strategy] != 0, "no page was read by %s: %v", strategy, used)
	}
}
