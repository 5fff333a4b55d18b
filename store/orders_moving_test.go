package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/plan"
	"product-comments/store/storetest"
)

// longer returns how many rounds a random test has: those of the environment variable
// ORDERS, or so many.
func longer(t *testing.T, rounds int) int {
	t.Helper()
	s := os.Getenv("ORDERS")
	if s == "" {
		return rounds
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatalf("ORDERS is %q: give a number of rounds", s)
	}
	return n
}

// change is what others do to a comment all the time while lists are read.
type change struct {
	kind  string
	moves string // the attribute, or byRating, whose value they change; "" for none
}

const byRating = "its rating" // no key of an attribute

// changes deals changes to comments: most are left alone, others get other titles, lose
// or get a value of an attribute, are rated anew, or are deleted.
func changes(r *rand.Rand, m model, defs []attributes.Definition) map[string]change {
	all := map[string]change{}
	for i := range m {
		switch i % 9 {
		case 0, 1:
			all[m[i].ID] = change{kind: "retitled"}
		case 2, 3, 4:
			all[m[i].ID] = change{kind: "valued", moves: defs[r.IntN(len(defs))].Key}
		case 5:
			all[m[i].ID] = change{kind: "rated", moves: byRating}
		case 6:
			all[m[i].ID] = change{kind: "deleted"}
		}
	}
	return all
}

// concerns tells whether a list shows the comments elsewhere, or not any more, whose
// value of that attribute changes.
func concerns(f plan.Filter, moves string) bool {
	switch {
	case moves == "":
		return false
	case moves == byRating:
		return f.Order.Field == plan.ByRating || !f.Ratings.Any()
	}
	return f.Order.Field == plan.ByAttribute && f.Order.Attribute == moves ||
		slices.ContainsFunc(f.Attributes.List(), func(a plan.AttributeFilter) bool { return a.Key == moves })
}

// revalued returns a comment with another value of an attribute, or without one.
func revalued(r *rand.Rand, c store.Comment, attribute string) store.Comment {
	values, others := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	_ = json.Unmarshal(c.Attributes, &values)
	_ = json.Unmarshal(randomValues(r), &others)
	delete(values, attribute)
	if v, ok := others[attribute]; ok {
		values[attribute] = v
	}
	c.Attributes = nil
	if len(values) > 0 {
		c.Attributes, _ = json.Marshal(values)
	}
	return c
}

// While lists in any order are walked, others edit, move, delete and write comments, and
// a projector brings the columns along: pages are read between its transactions and
// beside them. Every comment that passes and was not itself moved or deleted is seen
// once, in its place; no page is short before the end. When all is projected, lists are
// again those of a sort in memory. In the long form the product has so many attributes
// that a change takes several transactions.
func TestOrdersWhileOthersWrite(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	defs, wide := attributed(), attributed()
	for i := range min(120, longer(t, 0)) {
		wide = append(wide, attributes.Definition{Key: fmt.Sprint("other ", i), Type: attributes.Boolean, Position: len(wide)})
	}
	s := storeWithAttributes(t, "42", wide)
	m := attributedModel(r, "42", 40)
	importAll(t, s, m)
	project(t, s)
	byID, now := map[string]bool{}, map[string]store.Comment{}
	for _, c := range m {
		byID[c.ID], now[c.ID] = true, c
	}
	dealt := changes(r, m, defs)
	steps := make(chan struct{}) // of the projector: each waits until somebody has seen what the table is like
	stepping := storetest.After(storetest.Client(t), func(ctx context.Context, _ *dynamodb.TransactWriteItemsInput) {
		select {
		case steps <- struct{}{}:
		case <-ctx.Done():
		}
	})
	await := func() { // a step, or not long if there is nothing to project
		select {
		case <-steps:
		case <-time.After(20 * time.Millisecond):
		}
	}
	stop := projecting(t, store.New(stepping, s.Table(), store.Options{PlaceAge: -1, MetaAge: time.Nanosecond}))
	defer stop()

	counts := map[string]int{}
	last := m[0]
	edit := func() {
		c := m[r.IntN(len(m))]
		if r.IntN(2) == 0 { // the same again, before it is projected
			c = last
		}
		last = c
		change := dealt[c.ID]
		switch counts[change.kind]++; change.kind {
		case "retitled":
			c.Title = fmt.Sprint("title ", r.Uint32())
		case "valued":
			c = revalued(r, c, change.moves)
		case "rated":
			c.Rating = 1 + r.IntN(5)
		case "deleted":
			if _, err := s.Delete(t.Context(), c.ID); err != nil && errs.CodeOf(err) != errs.NotFound {
				t.Fatal(err)
			}
			delete(now, c.ID)
			return
		default: // it stays, and another one comes
			c = attributedModel(r, "42", 1)[0]
			c.ID = fmt.Sprint("new-", r.Uint32())
			c.CreatedAt = m[r.IntN(len(m))].CreatedAt
		}
		importAll(t, s, []store.Comment{c})
		now[c.ID] = c
	}
	random := func() (f plan.Filter) {
		f = randomFilter(r, "42")
		f.Order = plan.Order{Field: plan.Field(r.IntN(4)), Ascending: r.IntN(2) == 0}
		if f.Order.Field == plan.ByAttribute {
			f.Order.Attribute = defs[r.IntN(len(defs))].Key
		}
		var given []plan.AttributeFilter
		if r.IntN(3) > 0 { // long lists
			f.Ratings, f.Languages, f.WithText, f.VerifiedOnly = 0, "", false, false
		} else {
			given = randomAttributes(r, m, defs)
		}
		var err error
		if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", given); err != nil {
			t.Fatal(err)
		}
		return f
	}

	for len(counts) < 5 { // every kind of change is among them
		edit()
	}
	walked, refused := 0, 0
	for range longer(t, 7) {
		f, limit, backward := random(), 4+r.IntN(12), r.IntN(2) == 0
		got, _, costly := walkBetween(t, s, f, limit, backward, func() { edit(); edit(); await() })
		if costly {
			refused++
			continue
		}
		walked++
		seen := map[string]int{}
		for _, c := range got {
			if seen[c.ID]++; seen[c.ID] > 1 && !concerns(f, dealt[c.ID].moves) {
				t.Errorf("%+v, pages of %d, backward %v: %s, %+v, was shown %d times", f, limit, backward, c.ID, dealt[c.ID], seen[c.ID])
			}
		}
		moved := func(c store.Comment) bool {
			change := dealt[c.ID]
			return !byID[c.ID] || change.kind == "deleted" || concerns(f, change.moves)
		}
		want, shown := slices.DeleteFunc(m.ordered(f, defs), moved), slices.DeleteFunc(slices.Clone(got), moved)
		if ids(shown) != ids(want) {
			t.Errorf("%+v, pages of %d, backward %v: of comments that were not moved\ngot  %s\nwant %s", f, limit, backward, ids(shown), ids(want))
		}
	}
	t.Logf("%d walks, %d refused, while %v", walked, refused, counts)
	stop()
	project(t, s)
	rest := model(slices.Collect(maps.Values(now)))
	orders := []plan.Order{{Field: plan.ByTime}, {Field: plan.ByRating}, {Field: plan.ByHelpful}}
	for i := range defs {
		orders = append(orders, plan.Order{Field: plan.ByAttribute, Attribute: defs[i].Key})
	}
	for _, order := range orders {
		order.Ascending = r.IntN(2) == 0
		f := plan.Filter{ProductID: "42", Order: order}
		if got, _, _ := walkPlaces(t, s, f, 40, false); ids(got) != ids(rest.ordered(f, defs)) {
			t.Errorf("%+v: when all was over\ngot  %s\nwant %s", f, ids(got), ids(rest.ordered(f, defs)))
		}
	}
}
