package store_test

import (
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// A comment is in no list of which the filter does not let it through, of another product, or
// if it is not there.
func TestPlacesOfWhatIsNotListed(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	wroteAt := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	importAll(t, s, model{{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: wroteAt}})
	for _, c := range []struct {
		f  plan.Filter
		id string
		ok bool
	}{
		{plan.Filter{ProductID: "42", Languages: "de,en"}, "1", true},
		{plan.Filter{ProductID: "42"}, "2", false},
		{plan.Filter{ProductID: "43"}, "1", false},
		{plan.Filter{ProductID: "42", Languages: "de"}, "1", false},
		{plan.Filter{ProductID: "42", Ratings: 1}, "1", false},
		{plan.Filter{ProductID: "42", WithText: true}, "1", false},
		{plan.Filter{ProductID: "42", Created: key.TimesOf(wroteAt.Add(1), wroteAt.Add(2))}, "1", false},
	} {
		_, ok := store.PositionOf(c.f, testkit.Value(s.Get(t.Context(), c.id))(t))
		testkit.Check(t, ok == c.ok, "%+v has %s: %t", c.f, c.id, ok)
	}
	list, err := s.Offsets(t.Context(), plan.Filter{ProductID: "42"}, s.PageNumbers().Of("42"))
	testkit.Must(t, err)
	_, err = list.Count(t.Context()) // nothing is projected yet
	testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "before statistics are kept: %v", err)
}
