package store_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// In random lists the numbers are the model's, and a page that begins behind the comment at
// an offset is that slice of the list. What the same store has written is counted before it
// is projected.
func TestPageNumbersEqualTheModel(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 9, 400} {
		r := testkit.Random(t)
		s, _ := newStore(t)
		m := randomModel(r, "42", n)
		importAll(t, s, m)
		importAll(t, s, randomModel(r, "42/en", 20)) // a neighbour whose id looks like a partition of 42
		project(t, s)
		numbersEqualTheModel(t, r, s, m)
		m = writeSome(t, r, s, m)
		numbersEqualTheModel(t, r, s, m)
		project(t, s)
		numbersEqualTheModel(t, r, s, m)
	}
}

// writeSome creates, changes and deletes comments.
func writeSome(t *testing.T, r *rand.Rand, s *store.Store, m model) model {
	t.Helper()
	for range 8 {
		c, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 1 + r.IntN(5), Language: []string{"en", "fr"}[r.IntN(2)], Text: []string{"", "A text."}[r.IntN(2)]})
		testkit.Must(t, err)
		m = append(m, c)
	}
	for range 4 {
		i := r.IntN(len(m))
		c, err := s.Update(t.Context(), store.Change{ID: m[i].ID, Rating: new(1 + r.IntN(5)), Language: new("de")})
		testkit.Must(t, err)
		m[i] = c
		i = r.IntN(len(m))
		remove(t, s, m[i].ID)
		m = slices.Delete(m, i, i+1)
	}
	slices.SortFunc(m, newestFirst)
	return m
}

func numbersEqualTheModel(t *testing.T, r *rand.Rand, s *store.Store, m model) {
	t.Helper()
	for range 60 {
		f := randomFilter(r, "42")
		if len(m) > 0 && r.IntN(3) == 0 {
			f.Created = m.randomTimes(r)
		}
		all := m.filter(f)
		list, err := s.Offsets(t.Context(), f, s.PageNumbers().Of("42"))
		testkit.Must(t, err)
		count, err := list.Count(t.Context())
		testkit.Need(t, err == nil && count == len(all), "%+v has %d, %v, not %d", f, count, err, len(all))
		for range 3 {
			offset := r.IntN(len(all) + 2)
			at, ok, err := list.At(t.Context(), offset)
			testkit.Must(t, err)
			testkit.Need(t, ok == (offset < len(all)), "%+v at %d of %d: %t", f, offset, len(all), ok)
			if !ok {
				continue
			}
			testkit.Need(t, at == placeIn(f.Order, &all[offset]), "%+v at %d: %+v, not %+v", f, offset, at, all[offset])
			page, _ := all.window(f.Order, store.Window{Limit: 7, After: &at})
			got := pageOf(t, s, f, store.Window{Limit: 7, After: &at})
			testkit.Need(t, ids(got.Items) == ids(page), "%+v behind %d:\n%s\n%s", f, offset, ids(got.Items), ids(page))
			id := all[offset].ID
			place, ok := store.PositionOf(list.Filter(), testkit.Value(s.Get(t.Context(), id))(t))
			testkit.Need(t, ok && place == at, "%+v: %s is at %+v, %t", f, id, place, ok)
		}
		for range 3 { // also of what is not in the list
			if len(m) == 0 {
				break
			}
			place := placeIn(f.Order, &m[r.IntN(len(m))])
			through := r.IntN(2) == 0
			want := 0
			for i := range all {
				if n := inOrder(f.Order, placeIn(f.Order, &all[i]), place); n < 0 || through && n == 0 {
					want++
				}
			}
			got, err := list.Before(t.Context(), place, through)
			testkit.Need(t, err == nil && got == want, "%+v before %+v, through %t: %d, %v, not %d", f, place, through, got, err, want)
		}
	}
}

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
