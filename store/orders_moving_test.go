package store_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/errs"
	"product-comments/store/plan"
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
		switch r.IntN(9) {
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
// a projector brings the columns along. Every comment that passes and was not itself
// moved or deleted is seen once, in its place; no page is short before the end.
func TestOrdersWhileOthersWrite(t *testing.T) {
	r := testkit.Random(t)
	defs := attributed()
	s := storeWithAttributes(t, "42", defs)
	m := attributedModel(r, "42", 80)
	importAll(t, s, m)
	project(t, s)
	arriving := attributedModel(r, "42", 400)
	for i := range arriving {
		arriving[i].ID = "new-" + arriving[i].ID
	}
	dealt := changes(r, m, defs)
	defer projecting(t, s)()

	over := make(chan struct{})
	var writers sync.WaitGroup
	writer := func(write func(i int) error) {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-over:
					return
				default:
				}
				if err := write(i); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	edits := rand.New(rand.NewPCG(r.Uint64(), 2))
	counts := map[string]int{}
	writer(func(i int) error {
		c := m[edits.IntN(len(m))]
		switch change := dealt[c.ID]; change.kind {
		case "retitled":
			c.Title = fmt.Sprint("title ", i)
		case "valued":
			c = revalued(edits, c, change.moves)
		case "rated":
			c.Rating = 1 + edits.IntN(5)
		case "deleted":
			counts[change.kind]++
			_, err := s.Delete(t.Context(), c.ID)
			if errs.CodeOf(err) == errs.NotFound {
				return nil
			}
			return err
		default:
			return nil
		}
		counts[dealt[c.ID].kind]++
		_, err := s.Import(t.Context(), []store.Comment{c})
		return err
	})
	writer(func(i int) error {
		_, err := s.Import(t.Context(), arriving[i%len(arriving):][:1])
		return err
	})

	walked, refused := 0, 0
	for range longer(t, 8) {
		f := randomFilter(r, "42")
		f.Order = plan.Order{Field: plan.Field(r.IntN(4)), Ascending: r.IntN(2) == 0}
		if f.Order.Field == plan.ByAttribute {
			f.Order.Attribute = defs[r.IntN(len(defs))].Key
		}
		if r.IntN(2) == 0 {
			f.Ratings, f.Languages, f.WithText = 0, "", false
		}
		var err error
		if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", randomAttributes(r, m, defs)); err != nil {
			t.Fatal(err)
		}
		limit, backward := 5+r.IntN(16), r.IntN(2) == 0
		got, _, costly := walkPlaces(t, s, f, limit, backward)
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
		stays := func(c store.Comment) bool {
			change, ours := dealt[c.ID]
			return !ours && slices.ContainsFunc(m, func(o store.Comment) bool { return o.ID == c.ID }) || ours && change.kind != "deleted" && !concerns(f, change.moves)
		}
		want := slices.DeleteFunc(m.ordered(f, defs), func(c store.Comment) bool { return !stays(c) })
		shown := slices.DeleteFunc(slices.Clone(got), func(c store.Comment) bool { return !stays(c) })
		if ids(shown) != ids(want) {
			t.Errorf("%+v, pages of %d, backward %v: of comments that were not moved\ngot  %s\nwant %s", f, limit, backward, ids(shown), ids(want))
		}
	}
	close(over)
	writers.Wait()
	t.Logf("%d walks, %d refused, while %v", walked, refused, counts)
	for _, kind := range []string{"retitled", "valued", "rated", "deleted"} {
		if counts[kind] == 0 {
			t.Errorf("nobody's comment was %s", kind)
		}
	}
}
