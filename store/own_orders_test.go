package store_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/attributes"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/storetest"
	"product-comments/store/votes"
)

// inputs are the values of a flat JSON object, as clients give them.
func inputs(raw json.RawMessage) (given []attributes.Input) {
	values := map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.UseNumber()
	_ = decoder.Decode(&values)
	for _, d := range attributed() {
		if v := values[d.Key]; v != nil {
			given = append(given, attributes.Input{Key: d.Key, Value: fmt.Sprint(v)})
		}
	}
	return given
}

// Whatever a server writes is at its new place in every list that it reads from then
// on, and at no other, before the projector has followed, while it does and after.
func TestOwnWritesInEveryOrder(t *testing.T) {
	t.Parallel()
	r := testkit.Random(t)
	defs := attributed()
	s := storeWithAttributes(t, "42", defs)
	m := attributedModel(r, "42", 40)
	for i := range m {
		m[i].ProductID = "42"
	}
	importAll(t, s, m)
	project(t, s)
	refused, walked := 0, 0
	for step := range 50 {
		i := r.IntN(len(m))
		var c store.Comment
		var err error
		switch n := r.IntN(12); {
		case n < 2:
			project(t, s)
		case n < 5:
			c, err = s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 1 + r.IntN(5), Language: []string{"en", "de", "fr"}[r.IntN(3)], Text: "new", Attributes: inputs(randomValues(r))})
			m = append(m, c)
		case n < 8:
			change := store.Change{ID: m[i].ID}
			if r.IntN(2) == 0 {
				rating, title := 1+r.IntN(5), fmt.Sprintf("edit %d", step)
				change.Rating, change.Title = &rating, &title
			}
			if r.IntN(3) > 0 {
				change.Attributes = inputs(randomValues(r))
			}
			if r.IntN(4) == 0 { // all of them go
				change.Attributes = nil
				for _, had := range inputs(m[i].Attributes) {
					change.Attributes = append(change.Attributes, attributes.Input{Key: had.Key})
				}
			}
			m[i], err = s.Update(t.Context(), change)
		case n < 10:
			m[i], err = s.Vote(t.Context(), m[i].ID, key.VoterOf("mia"), votes.Vote(r.IntN(3)-1))
		default:
			_, err = s.Delete(t.Context(), m[i].ID)
			m = slices.Delete(m, i, i+1)
		}
		must(t, err)
		for range 2 {
			f := randomFilter(r, "42")
			if f.Order = (plan.Order{Field: plan.Field(r.IntN(4)), Ascending: r.IntN(2) == 0}); f.Order.Field == plan.ByAttribute {
				f.Order.Attribute = defs[r.IntN(len(defs))].Key
			}
			if r.IntN(2) == 0 {
				f.Ratings, f.Languages, f.WithText, f.VerifiedOnly = 0, "", false, false
			}
			if f.Attributes, err = s.AttributeFilters(t.Context(), "42", "attributes", randomAttributes(r, m, defs)); err != nil {
				t.Fatal(err)
			}
			got, _, costly := walkPlaces(t, s, f, 1+r.IntN(30), r.IntN(2) == 0)
			if costly {
				refused++
				continue
			}
			walked++
			want := m.ordered(f, defs)
			if ids(got) != ids(want) {
				t.Fatalf("step %d, %+v\ngot  %s\nwant %s", step, f, ids(got), ids(want))
			}
			for i := range got {
				if got[i].Title != want[i].Title || got[i].Rating != want[i].Rating || got[i].Language != want[i].Language {
					t.Fatalf("step %d, %+v shows %+v, want %+v", step, f, got[i], want[i])
				}
			}
		}
	}
	if t.Logf("%d were walked, %d refused", walked, refused); walked < 80 {
		t.Error("too few")
	}
}

// What somebody else does to a comment after us is shown when the projector has
// followed us and that is known: no longer than a moment later.
func TestOthersWritesComeThrough(t *testing.T) {
	first := storeWithAttributes(t, "42", []attributes.Definition{{Key: "Fit", Type: attributes.Number}})
	var now clock
	ours := store.New(storetest.Client(t), first.Table(), store.Options{PlaceAge: -1, MetaAge: time.Nanosecond, Now: now.now})
	fit := func(s *store.Store, id, value string) {
		t.Helper()
		update(t, s, store.Change{ID: id, Attributes: []attributes.Input{{Key: "Fit", Value: value}}})
	}
	f := plan.Filter{ProductID: "42", Order: plan.Order{Field: plan.ByAttribute, Attribute: "Fit"}}
	shown := func(s *store.Store) string {
		t.Helper()
		page := pageOf(t, s, f, store.Window{Limit: 10})
		return ids(page.Items)
	}
	var all []string
	for _, value := range []string{"5", "4", "3"} {
		c := mustCreate(t, first, store.NewComment{ProductID: "42", Rating: 5, Language: "en", Attributes: []attributes.Input{{Key: "Fit", Value: value}}})
		all = append(all, c.ID)
	}
	a, b, c := all[0], all[1], all[2]
	want := func(when string, s *store.Store, order ...string) {
		t.Helper()
		if got := strings.TrimSpace(shown(s)); got != strings.Join(order, " ") {
			t.Errorf("%s: %s, want %s", when, got, strings.Join(order, " "))
		}
	}
	want("before anybody else can know", ours)
	project(t, first)
	want("at first", ours, a, b, c)
	fit(ours, a, "1")
	want("after our write", ours, b, c, a)
	want("elsewhere", first, a, b, c)
	fit(first, a, "3.5")
	remove(t, first, b)
	want("after theirs", ours, b, c, a)
	project(t, first)
	want("when columns have followed, which we do not know", ours, c, a)
	now.advance(300 * time.Millisecond)
	want("when we know, and replicas may not", ours, c, a)
	now.advance(1100 * time.Millisecond)
	want("a moment later", ours, a, c)
	fit(ours, c, "0")
	fit(first, c, "9")
	project(t, first)
	now.advance(time.Minute) // nobody looked
	want("whoever looks first", ours, c, a)
	remove(t, ours, a)
	want("after our delete", ours, c)
}
