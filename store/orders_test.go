package store_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/attributes"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/index/counts/ranking"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// attributed are the definitions of a product's attributes in tests: lists show those
// whose names begin with a capital letter.
func attributed() []attributes.Definition {
	options := []attributes.Option{{Value: "S"}, {Value: "M"}, {Value: "L"}, {Value: "XL"}}
	var list []attributes.Definition
	for i, d := range []attributes.Definition{
		{Key: "Fit", Type: attributes.Number}, {Key: "weight", Type: attributes.Number},
		{Key: "Bought", Type: attributes.Date}, {Key: "seen", Type: attributes.Date},
		{Key: "Size", Type: attributes.Choice, Options: options}, {Key: "colour", Type: attributes.Choice, Options: options},
		{Key: "Again", Type: attributes.Boolean}, {Key: "Note", Type: attributes.Text, Locale: "de"}, {Key: "code", Type: attributes.Text},
	} {
		d.Position, d.Shown = i, d.Key[0] < 'a'
		list = append(list, d)
	}
	return list
}

// randomValues draws values of some of the attributes: equal ones, negative, huge, and
// such that are not ASCII.
func randomValues(r *rand.Rand) json.RawMessage {
	values := map[string]any{}
	draw := map[string]func() any{
		"Fit": func() any { return json.Number(fmt.Sprint(r.IntN(5) - 2)) },
		"weight": func() any {
			return json.Number([]string{"-1e100", "-3.5", "0", "0.001", "12", "12.00000000000000000001", "9e120"}[r.IntN(7)])
		},
		"Bought": func() any { return fmt.Sprintf("20%02d-03-0%dT08:07:06.%dZ", 10+r.IntN(3), 1+r.IntN(3), r.IntN(3)) },
		"seen":   func() any { return fmt.Sprintf("20%02d-03-09", 10+r.IntN(20)) },
		"Size":   func() any { return []string{"S", "M", "L", "XL"}[r.IntN(4)] },
		"colour": func() any { return []string{"S", "M", "L", "XL"}[min(r.IntN(30), 3)] },
		"Again":  func() any { return r.IntN(2) == 0 },
		"Note": func() any {
			return []string{"Äpfel", "Apfel", "apfel", "Zug", "ß", "ss", "日本", "a b", ""}[r.IntN(8)]
		},
		"code": func() any { return []string{"Ä", "Z", "a", "\U0001F600", "zz"}[r.IntN(5)] },
	}
	if r.IntN(5) == 0 {
		return nil
	}
	for _, d := range attributed() {
		if r.IntN(3) > 0 {
			values[d.Key] = draw[d.Key]()
		}
	}
	raw, err := json.Marshal(values)
	if err != nil {
		panic(err)
	}
	return raw
}

// attributedModel is a model whose comments have attributes, and were found helpful.
func attributedModel(r *rand.Rand, product string, n int) model {
	m := randomModel(r, product, n)
	for i := range m {
		m[i].Attributes = randomValues(r)
		if helpful := r.IntN(4); helpful > 0 || r.IntN(2) == 0 {
			m[i].Helpful = &helpful
		}
		m[i].Up, m[i].Down = r.IntN(2), r.IntN(3)
	}
	return m
}

// german compares texts, one pair at a time.
var german = struct {
	sync.Mutex
	*collate.Collator
}{Collator: collate.New(language.German)}

// compareValues compares two values of an attribute as people do.
func compareValues(d *attributes.Definition, a, b any) int {
	switch d.Type {
	case attributes.Number:
		x, _ := new(big.Rat).SetString(fmt.Sprint(a))
		y, _ := new(big.Rat).SetString(fmt.Sprint(b))
		return x.Cmp(y)
	case attributes.Date:
		return dateOf(a).Compare(dateOf(b))
	case attributes.Choice:
		place := func(v any) int {
			return slices.IndexFunc(d.Options, func(o attributes.Option) bool { return o.Value == v })
		}
		return place(a) - place(b)
	case attributes.Boolean:
		return map[any]int{false: 0, true: 1}[a] - map[any]int{false: 0, true: 1}[b]
	}
	if d.Locale != "" {
		german.Lock()
		defer german.Unlock()
		if n := german.CompareString(a.(string), b.(string)); n != 0 {
			return n
		}
	}
	return strings.Compare(a.(string), b.(string))
}

func dateOf(v any) time.Time {
	at, err := time.Parse(time.RFC3339, v.(string))
	if err != nil {
		at, _ = time.Parse(time.DateOnly, v.(string))
	}
	return at
}

// valueOf returns a comment's value of an attribute, nil if it has none.
func valueOf(c *store.Comment, attribute string) any {
	values := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(string(c.Attributes)))
	decoder.UseNumber()
	_ = decoder.Decode(&values)
	return values[attribute]
}

// ordered returns the comments that pass a filter in its order.
func (m model) ordered(f plan.Filter, defs []attributes.Definition) model {
	of := map[string]*attributes.Definition{}
	for i := range defs {
		of[defs[i].Key] = &defs[i]
	}
	passes := func(c *store.Comment) bool {
		for _, want := range f.Attributes.List() {
			d, v := of[want.Key], valueOf(c, want.Key)
			spelled := func(s string) any {
				switch d.Type {
				case attributes.Number:
					return json.Number(s)
				case attributes.Boolean:
					return s == "true"
				}
				return s
			}
			if v == nil || want.Min != nil && compareValues(d, v, spelled(*want.Min)) < 0 || want.Max != nil && compareValues(d, v, spelled(*want.Max)) > 0 ||
				want.Equals != nil && !slices.ContainsFunc(want.Equals, func(e string) bool { return compareValues(d, v, spelled(e)) == 0 }) {
				return false
			}
		}
		return true
	}
	plain := f
	plain.Order, plain.Attributes = plan.Order{Ascending: f.Order.Ascending}, ""
	out := slices.DeleteFunc(m.filter(plain), func(c store.Comment) bool { return !passes(&c) }) // by time
	direction := 1
	if !f.Order.Ascending {
		direction = -1
	}
	slices.SortStableFunc(out, func(a, b store.Comment) int {
		switch f.Order.Field {
		case plan.ByRating:
			return direction * (a.Rating - b.Rating)
		case plan.ByHelpful:
			return direction * cmp.Compare(ranking.LowerBound(a.HelpfulCount(), a.Down), ranking.LowerBound(b.HelpfulCount(), b.Down))
		case plan.ByAttribute:
			x, y := valueOf(&a, f.Order.Attribute), valueOf(&b, f.Order.Attribute)
			switch {
			case x == nil && y == nil:
				return 0
			case x == nil:
				return 1
			case y == nil:
				return -1
			}
			return direction * compareValues(of[f.Order.Attribute], x, y)
		}
		return 0
	})
	return out
}

// randomAttributes draws some filters by attributes.
func randomAttributes(r *rand.Rand, m model, defs []attributes.Definition) (given []plan.AttributeFilter) {
	for _, i := range r.Perm(len(defs))[:[]int{0, 0, 1, 1, 2, 3}[r.IntN(6)]] {
		d := &defs[i]
		some := func() string {
			for {
				if v := valueOf(&m[r.IntN(len(m))], d.Key); v != nil {
					return fmt.Sprint(v)
				}
			}
		}
		f := plan.AttributeFilter{Key: d.Key}
		if ranged := d.Type == attributes.Number || d.Type == attributes.Date; ranged && r.IntN(3) > 0 {
			a, b := some(), some()
			if d.Type == attributes.Number && compareValues(d, json.Number(a), json.Number(b)) > 0 || d.Type == attributes.Date && dateOf(a).After(dateOf(b)) {
				a, b = b, a
			}
			if f.Min = &a; r.IntN(2) == 0 {
				f.Max = &b
			}
		} else {
			for range 1 + r.IntN(2) {
				f.Equals = append(f.Equals, some())
			}
		}
		given = append(given, f)
	}
	return given
}

// randomOrder draws a list of product 42 in any order, and its filters by attributes.
func randomOrder(t *testing.T, r *rand.Rand, s *store.Store, m model, defs []attributes.Definition) (f plan.Filter, given []plan.AttributeFilter) {
	t.Helper()
	f = randomFilter(r, "42")
	f.Order = plan.Order{Field: plan.Field(r.IntN(4)), Ascending: r.IntN(2) == 0}
	if f.Order.Field == plan.ByAttribute {
		f.Order.Attribute = defs[r.IntN(len(defs))].Key
	}
	if r.IntN(2) == 0 {
		f.Ratings, f.Languages, f.WithText, f.VerifiedOnly = 0, "", false, false
	}
	given = randomAttributes(r, m, defs)
	f.Attributes = testkit.Value(s.AttributeFilters(t.Context(), "42", "attributes", given))(t)
	return f, given
}

// storeWithAttributes returns a store that knows at once what was changed, in whose
// table a product has attributes.
func storeWithAttributes(t *testing.T, product string, defs []attributes.Definition) *store.Store {
	t.Helper()
	s := storeWith(t, store.Options{PlaceAge: -1, MetaAge: time.Nanosecond})
	project(t, s)
	define(t, s, product, defs)
	return s
}

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
			if ids(page.Items) != ids(cut) || open && more != (len(inside) > w.Limit) {
				t.Fatalf("%+v %+v: more %v\ngot  %s\nwant %s\n%s", f, w, more, ids(page.Items), ids(cut), page.Plan)
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
	if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", []plan.AttributeFilter{{Key: "colour", Equals: []string{"S"}}, {Key: "weight", Min: &least}}); err != nil {
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
	n, ok, err := s.CountByAttribute(t.Context(), plan.Filter{ProductID: "42", Attributes: plan.AttributesOf(plan.AttributeFilter{Key: "colour", Equals: []string{"M"}})})
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
			all, places = append(page.Items, all...), append(at, places...)
		} else {
			all, places = append(all, page.Items...), append(places, at...)
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
