package statistics_test

import (
	"testing"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/stats"
	"product-comments/store/storetest"
)

// Statistics that count nothing still say whose writes they have counted: their
// server does not count a comment that another has deleted.
func TestZeroRemembersWrites(t *testing.T) {
	one := newStore(t, store.Options{})
	other := storeOn(t, one.Table(), store.Options{})
	project := func() { storetest.Project(t, one.Projector()) }
	project()
	create := func(rating int, language string) string {
		t.Helper()
		return testkit.Get(one.Create(t.Context(), store.NewComment{ProductID: "42", Rating: rating, Language: language}))(t).ID
	}
	remove := func(id string) {
		t.Helper()
		testkit.Get(other.Delete(t.Context(), id, nil))(t)
	}
	// want compares what both servers count with comments of one rating and language.
	want := func(after string, rating int, language string, counted ...int) {
		t.Helper()
		for i, s := range []*store.Store{one, other} {
			for _, in := range []string{"", "en", "de"} {
				got := testkit.Get(s.Statistics(t.Context(), []stats.Scope{{ProductID: "42", Language: in}}))(t)
				var want stats.Tally
				if in == "" || in == language {
					want[rating-1] = counted[i]
				}
				if got[0].Tally != want {
					t.Fatalf("after %s server %d counts %v in %q, not %v", after, i, got[0].Tally, in, want)
				}
			}
		}
	}
	remove(create(4, "en"))
	project() // both at once, of which nothing remains
	want("a create and a delete together", 4, "en", 0, 0)
	id := create(5, "de")
	project()
	want("a create", 5, "de", 1, 1)
	remove(id)
	project()
	want("its delete", 5, "de", 0, 0)
	create(3, "en")
	want("another create", 3, "en", 1, 0)
}
