package store_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// longer returns how many rounds a random test has: as many as the environment variable
// ORDERS says, or so many.
func longer(t *testing.T, rounds int) int {
	t.Helper()
	s := os.Getenv("ORDERS")
	if s == "" {
		return rounds
	}
	n, err := strconv.Atoi(s)
	testkit.Need(t, err == nil, "ORDERS is %q: give a number of rounds", s)
	return n
}

// Every order with every filter, both ways: windows whose ends are cursors of any
// comments of the list, the deleted ones included, equal the windows of a sort in memory.
func TestOrdersEqualTheModel(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	defs := attributed()
	s := storeWithAttributes(t, "42", defs)
	m := attributedModel(r, "42", 100)
	importAll(t, s, m)
	importAll(t, s, attributedModel(r, "42/A/Fit", 10)) // a neighbour
	project(t, s)
	codec, err := cursor.New(make([]byte, cursor.MinSecret))
	testkit.Must(t, err)
	used, refused := map[plan.Strategy]int{}, 0
	all := func() bool { return used[plan.Concatenated] != 0 && used[plan.Gather] != 0 }
	for n := 0; n < longer(t, 24) || n < 1000 && !all(); n++ {
		f, given := randomOrder(t, r, s, m, defs)
		want := m.ordered(f, defs)
		got, places, costly := walkPlaces(t, s, f, 8+r.IntN(40), r.IntN(2) == 0)
		if costly {
			if refused++; !slices.ContainsFunc(given, func(a plan.AttributeFilter) bool { return a.Key[0] >= 'a' }) {
				t.Errorf("%+v was refused", f)
			}
			continue
		}
		testkit.Need(t, ids(got) == ids(want), "%+v\ngot  %s\nwant %s", f, ids(got), ids(want))
		tokens := cursor.ListOf(codec, cursor.Ordered, f.Scope())
		for range 3 {
			w, from, to := store.Window{Limit: r.IntN(12), Backward: r.IntN(2) == 0}, 0, len(want)
			end := func() (*key.Position, int) {
				i := r.IntN(len(places))
				token := testkit.Value(tokens.Encode(places[i]))(t)
				at := testkit.Value(tokens.Decode(token))(t)
				return &at, i
			}
			if len(places) > 0 && r.IntN(3) > 0 {
				w.After, from = end()
				from++
			}
			if len(places) > 0 && r.IntN(3) == 0 {
				w.Before, to = end()
			}
			inside := want[min(from, to):to]
			page, err := s.Page(t.Context(), f, w)
			if err != nil {
				if errs.CodeOf(err) == errs.BadUserInput {
					refused++
					continue
				}
				t.Fatal(err)
			}
			used[page.Plan.Strategy]++
			cut, more := inside[:min(len(inside), w.Limit)], page.HasNext && w.Before == nil
			if w.Backward {
				cut, more = inside[max(0, len(inside)-w.Limit):], page.HasPrevious && w.After == nil
			}
			open := w.Backward && w.After == nil || !w.Backward && w.Before == nil
			if ids(of(page.Items)) != ids(cut) || open && more != (len(inside) > w.Limit) {
				t.Fatalf("%+v %+v: more %v\ngot  %s\nwant %s\n%s", f, w, more, ids(of(page.Items)), ids(cut), page.Plan)
			}
		}
	}
	t.Logf("%v, and %d were refused", used, refused)
	for _, strategy := range []plan.Strategy{plan.Concatenated, plan.Gather} {
		testkit.Check(t, used[strategy] != 0, "no page was read by %s: %v", strategy, used)
	}
}

// Where no one found a comment helpful, the list by that is one by time. Else it has a
// column, also of a product without attributes: until that has all comments the others follow
// those in it by time.
func TestHelpfulWithoutAttributes(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	s := storeWithAttributes(t, "42", nil)
	none, some := randomModel(r, "none", 40), attributedModel(r, "some", 90)
	importAll(t, s, slices.Concat(none, some))
	projectAll := func() {
		t.Helper()
		for range 2 { // the records, and those of the comments that they touch
			project(t, s)
		}
	}
	projectAll()
	listedBy := func(s *store.Store, product string, m model) {
		t.Helper()
		for _, f := range []plan.Filter{{}, {Ratings: 1 | 1<<4}, {Languages: "en"}, {WithText: true}} {
			f.ProductID, f.Order.Field = product, plan.ByHelpful
			for _, f.Order.Ascending = range []bool{false, true} {
				for _, backward := range []bool{false, true} {
					if got, _, _ := walkPlaces(t, s, f, 7, backward); ids(got) != ids(m.ordered(f, nil)) {
						t.Errorf("%+v\ngot  %s\nwant %s", f, ids(got), ids(m.ordered(f, nil)))
					}
				}
			}
		}
	}
	listed := func(product string, m model) { // without what s has cached
		t.Helper()
		listedBy(store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: time.Nanosecond}), product, m)
	}
	listed("none", none)
	listed("some", some)
	// The first vote about a product, and what this process has not projected.
	voted := none[len(none)/2]
	vote(t, s, voted.ID, alice, votes.Helpful)
	projectAll()
	none[len(none)/2].Up = 1
	listed("none", none)
	for i, to := range []votes.Vote{votes.None, votes.Helpful, votes.Unhelpful} {
		c := &none[[]int{len(none) / 2, 3, 4}[i]]
		*c = vote(t, s, c.ID, alice, to)
	}
	projectAll()
	listed("none", none)
	vote(t, s, voted.ID, alice, votes.Helpful)
	none[len(none)/2].Up = 1
	listedBy(s, "none", none)
	stop := projecting(t, s)
	defer stop()
	for _, product := range []string{"none", "some"} {
		testkit.Must(t, s.AttributeIndex().Backfill().Finish(t.Context(), product, true, nil))
	}
	listed("none", none)
	listed("some", some)
}

// What no way to a page is cheap enough for is refused with what would help, and no page
// of a list by a column reads without limit.
func TestCostlyOrdersAreRefused(t *testing.T) {
	t.Parallel()
	s := storeWithAttributes(t, "42", slices.DeleteFunc(attributed(), func(d attributes.Definition) bool { return d.Key != "colour" && d.Key != "weight" }))
	var m model
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := testkit.Random(t)
	for i := range 300 {
		m = append(m, store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", CreatedAt: at.Add(time.Duration(i) * time.Minute),
			Text: noise(r, 4096), Attributes: json.RawMessage(fmt.Sprintf(`{"colour":"%s","weight":%d,"note":"%s"}`, []string{"S", "M"}[i%2], i, strings.Repeat("x", 1000))),
		})
	}
	importAll(t, s, m)
	project(t, s)
	least := "1"
	f := plan.Filter{ProductID: "42", Order: plan.Order{Field: plan.ByRating}}
	var err error
	if f.Attributes, err = s.Lists().Filters(t.Context(), plan.Filter{ProductID: "42"}, "attributes", []plan.AttributeFilter{{Key: "colour", Equals: []string{"S"}}, {Key: "weight", Min: &least}}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Page(t.Context(), f, store.Window{Limit: 100})
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput && strings.Contains(err.Error(), `"colour", "weight" as shown`) && strings.Contains(err.Error(), "removing a filter"), "got %v", err)
	// Without statistics nothing is refused beforehand: the page stops at its bound.
	blind := store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: time.Nanosecond})
	f.Order.Field = plan.ByTime
	if _, err = blind.Page(t.Context(), f, store.Window{Limit: 100}); errs.CodeOf(err) != errs.BadUserInput {
		t.Errorf("got %v", err)
	}
	n, ok, err := s.Lists().Count(t.Context(), plan.Filter{ProductID: "42", Attributes: plan.AttributesOf(plan.AttributeFilter{Key: "colour", Equals: []string{"M"}})})
	testkit.Check(t, n == 150 && ok && err == nil, "%d, %v, %v", n, ok, err)
	// On a product of many comments that is known before any of them is read.
	f.Order.Field = plan.ByRating
	large := store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: time.Nanosecond})
	damage(t, s, table.Write{
		Key: table.KeyOf(key.Product("42"), key.StatisticsSK("")), Update: "SET count_total = :n, count_5 = :n, bytes_5 = :b",
		Values: table.Item{":n": table.N(100_000), ":b": table.N(400_000_000)},
	})
	ctx, meter := table.WithMeter(t.Context())
	planned, err := large.Explain(ctx, f, store.Window{Limit: 20})
	planning, _ := meter.Read()
	testkit.Need(t, err == nil && planned.Strategy == plan.Refused, "%v, %v", planned, err)
	large = store.New(storetest.Client(t), s.Table(), store.Options{MetaAge: time.Nanosecond})
	ctx, meter = table.WithMeter(t.Context())
	_, err = large.Page(ctx, f, store.Window{Limit: 20})
	units, _ := meter.Read()
	testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput && units == planning, "got %v for %v read units, planning takes %v", err, units, planning)
}

// walkPlaces reads a list to its end and returns what it saw with the places, and
// whether it was refused.
func walkPlaces(t testing.TB, s *store.Store, f plan.Filter, limit int, backward bool) (all []store.Comment, places []key.Position, refused bool) {
	t.Helper()
	for w := (store.Window{Limit: limit, Backward: backward}); ; {
		page, err := s.Page(t.Context(), f, w)
		if errs.CodeOf(err) == errs.BadUserInput {
			return nil, nil, true
		}
		testkit.Need(t, err == nil, "%+v: %v", f, err)
		var at []key.Position
		for i := range page.Items {
			at = append(at, page.Position(i))
		}
		if backward {
			all, places = append(of(page.Items), all...), append(at, places...)
		} else {
			all, places = append(all, of(page.Items)...), append(places, at...)
		}
		if more := backward && page.HasPrevious || !backward && page.HasNext; !more {
			return all, places, false
		}
		testkit.Need(t, len(at) >= limit, "%+v: a page of %d comments, and not %d, says that others follow\n%s", f, len(at), limit, page.Plan)
		if backward {
			w.Before = &at[0]
		} else {
			w.After = &at[len(at)-1]
		}
	}
}
