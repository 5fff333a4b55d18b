package pages_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"product-comments/internal/testing/testkit"
	"product-comments/store/comment/stats"
	"product-comments/store/index/pages"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// listed is a comment of the model.
type listed struct {
	key.Position
	language string
	rating   int
	which    stats.Which
}

// inOrder is a Tree of comments in memory, the oldest first.
type inOrder []listed

func (m inOrder) count(has func(listed) bool) (stats.ByLanguage, error) {
	counts := stats.ByLanguage{}
	for _, c := range m {
		if has(c) {
			counts.Add(c.language, stats.KindOf(c.rating, c.which), 1)
		}
	}
	return counts, nil
}

func (m inOrder) Ask(_ context.Context, question func(pages.Moment) error) error { return question(m) }

func (m inOrder) Total(_ context.Context, of pages.Which) (stats.Tally, error) {
	return m.tally(of, func(listed) bool { return true })
}

func (m inOrder) Before(_ context.Context, at key.Position, of pages.Which) (stats.Tally, error) {
	return m.tally(of, func(c listed) bool { return key.Compare(c.Position, at) < 0 })
}

func (m inOrder) tally(of pages.Which, has func(listed) bool) (stats.Tally, error) {
	counts, err := m.count(has)
	return counts.Of(of.Languages, of.Ratings, of.Flags), err
}

func (m inOrder) Counts(_ context.Context, times key.Times) (stats.ByLanguage, error) {
	return m.count(func(c listed) bool { return times.Has(c.CreatedAt) })
}

func (m inOrder) At(_ context.Context, of pages.Which, others int, backward bool) (key.Position, bool, error) {
	if m = slices.Clone(m); backward {
		slices.Reverse(m)
	}
	for _, c := range m {
		if c.passes(of) {
			if others == 0 {
				return c.Position, true, nil
			}
			others--
		}
	}
	return key.Position{}, false, nil
}

func (c listed) passes(of pages.Which) bool {
	return of.Languages.Has(c.language) && of.Ratings.Has(c.rating) && of.Flags.Passes(c.which)
}

// In every list, offsets equal the indexes in a list that the test sorts: of comments, of positions
// between them, and of positions before and after all of them.
func TestOffsetsAreThoseOfTheSortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := func(second int) time.Time { return time.Unix(int64(second), 0).UTC() }
		var m inOrder
		for i := range rapid.IntRange(0, 30).Draw(t, "comments") {
			m = append(m, listed{
				Position: key.Position{CreatedAt: at(rapid.IntRange(0, 9).Draw(t, "at")), CommentID: string(rune('a'+i/2)) + []string{"", "#"}[i%2]},
				language: rapid.SampledFrom([]string{"en", "de"}).Draw(t, "language"), rating: rapid.IntRange(1, 5).Draw(t, "rating"),
				which: stats.Which(rapid.IntRange(0, 7).Draw(t, "which")),
			})
		}
		slices.SortFunc(m, func(a, b listed) int { return key.Compare(a.Position, b.Position) })
		end := rapid.Custom(func(t *rapid.T) (end time.Time) {
			if s := rapid.IntRange(-9, 10).Draw(t, "end"); s >= 0 {
				end = at(s)
			}
			return end
		})
		f := plan.Filter{
			ProductID: "42", Languages: rapid.SampledFrom([]key.Languages{"", "en", "de,en", "fr"}).Draw(t, "languages"),
			Ratings: key.Ratings(rapid.IntRange(0, 31).Draw(t, "ratings")), WithText: rapid.Bool().Draw(t, "with text"), VerifiedOnly: rapid.Bool().Draw(t, "verified only"), WithPhotos: rapid.IntRange(0, 3).Draw(t, "with photos") == 0,
			Created: key.TimesOf(end.Draw(t, "from"), end.Draw(t, "before")),
			Order:   plan.Order{Field: rapid.SampledFrom([]plan.Field{plan.ByTime, plan.ByRating}).Draw(t, "field"), Ascending: rapid.Bool().Draw(t, "ascending")},
		}
		compare := func(a, b key.Position) int {
			n := key.Compare(a, b)
			if !f.Order.Ascending {
				n = -n
			}
			if a.Range != b.Range {
				n = a.Range - b.Range
			}
			return n
		}
		var sorted []key.Position
		of := pages.Which{Languages: f.Languages, Ratings: f.Ratings, Flags: f.Which()}
		for _, c := range m {
			if c.Range = f.Order.RangeOf(c.rating); c.passes(of) && f.Created.Has(c.CreatedAt) {
				sorted = append(sorted, c.Position)
			}
		}
		slices.SortFunc(sorted, compare)
		l := pages.Of(f, m)
		testkit.Equal(t, testkit.Value(l.Count(t.Context()))(t), len(sorted), "the number of all")
		counts := testkit.Value(l.Counts(t.Context()))(t).Of(f.Languages, f.Ratings, f.Which())
		testkit.Equal(t, counts.Total(), len(sorted), "the counts of all")
		for offset := range len(sorted) + 2 {
			got, ok, err := l.At(t.Context(), offset)
			if err != nil || ok != (offset < len(sorted)) || ok && got != sorted[offset] {
				t.Fatalf("at %d: %+v, %t, %v of %+v", offset, got, ok, err, sorted)
			}
		}
		for _, c := range m { // also what is not in the list
			if c.Range = f.Order.RangeOf(c.rating); f.Order.Field == plan.ByRating && rapid.Bool().Draw(t, "moved") { // since its cursor was made
				c.Range = rapid.IntRange(0, 4).Draw(t, "range")
			}
			for _, through := range []bool{false, true} {
				want := 0
				for _, p := range sorted {
					if n := compare(p, c.Position); n < 0 || through && n == 0 {
						want++
					}
				}
				got, err := l.Before(t.Context(), c.Position, through)
				if err != nil || got != want {
					t.Fatalf("before %+v, through %t: %d, %v, not %d, of %+v", c.Position, through, got, err, want, sorted)
				}
			}
		}
	})
}
