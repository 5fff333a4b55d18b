package statistics_test

import (
	"strings"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/storetest"
)

// Partitions without comments are not read, and a comment is never hidden by
// that: not from its author, not from others for more than the catalog's age,
// however far behind the projector is.
func TestZerosAreSkippedAndNeverHideAComment(t *testing.T) {
	var c clock
	table := storetest.TableName(t)
	open := func() *store.Store {
		s := store.New(storetest.Client(t), table, store.Options{Now: c.now})
		if err := s.EnsureTable(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		return s
	}
	one, other := open(), open()
	create := func(s *store.Store, rating int) store.Comment {
		made, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: rating, Language: "en", Text: strings.Repeat("x", item.InlineText)})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	page := func(s *store.Store, language string, comments, queries int) {
		t.Helper()
		ratings, err := key.RatingsOf(1, 2, 5)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Page(t.Context(), plan.Filter{ProductID: "42", Languages: key.Languages(language), Ratings: ratings}, store.Window{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Items) != comments || p.Cost.Queries != queries {
			t.Errorf("language %q: %d comments by %d queries, want %d by %d", language, len(p.Items), p.Cost.Queries, comments, queries)
		}
	}
	for range 40 { // long texts of a rating that is not asked for keep the planner from reading all at once
		create(one, 3)
	}
	create(one, 1)
	create(one, 5)
	page(one, "en", 2, 3) // nothing is known
	c.project(t, one)
	c.advance(time.Minute)
	page(one, "en", 2, 2) // rating 2 is skipped
	page(other, "", 2, 2)
	page(other, "en", 2, 2)

	made := create(one, 2)
	page(one, "en", 3, 3) // its author sees it at once
	page(one, "", 3, 3)
	page(other, "en", 2, 2) // another server still trusts what it read a moment ago
	second := create(other, 2)
	page(other, "en", 4, 3) // unless it writes one itself
	third := open()
	page(third, "en", 4, 3)
	if _, err := one.Delete(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	c.project(t, one)
	c.advance(time.Minute)
	page(other, "en", 3, 3)

	if _, err := one.Delete(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	c.project(t, one)
	c.advance(time.Minute)
	page(other, "en", 2, 3) // somebody may have seen the count before it became zero
	c.advance(41 * time.Hour)
	create(one, 1)
	c.project(t, one)
	c.advance(time.Minute)
	page(other, "en", 3, 2)
	page(other, "", 3, 2)
}
