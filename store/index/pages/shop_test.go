package pages_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/index/pages"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/storetest"
)

const product = "42"

// shop is a store, and its product's comments as they should be.
type shop struct {
	*testing.T
	s        *store.Store
	r        *rand.Rand
	n        int
	photos   int
	comments map[string]store.Comment
}

func newShop(t *testing.T) *shop { return newShopOf(t, tree.Usual) }

func newShopOf(t *testing.T, sizes tree.Sizes) *shop {
	s := store.New(storetest.Client(t), storetest.TableName(t), store.Options{MetaAge: time.Nanosecond, PageSizes: sizes})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	storetest.Project(t, s.Projector())
	return &shop{t, s, testkit.Random(t), 0, 0, map[string]store.Comment{}}
}

// comment returns a comment at one of some times.
func (s *shop) comment(id string) store.Comment {
	yes := s.r.IntN(2) == 0
	c := store.Comment{
		ID: id, ProductID: product, Rating: 1 + s.r.IntN(5), Language: []string{"en", "de", "pt-BR"}[s.r.IntN(3)], VerifiedPurchase: &yes,
		CreatedAt: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(s.r.IntN(400)) * 6 * time.Hour), Title: "A title",
	}
	if s.r.IntN(2) == 0 {
		c.Text = "A text"
	}
	if s.r.IntN(3) == 0 {
		c.Photos = []store.Photo{storetest.Photo(s, s.s, s.photos)}
		s.photos++
	}
	return c
}

// put imports comments, which may replace existing ones.
func (s *shop) put(n, replaced int) {
	s.Helper()
	var all []store.Comment
	for range n {
		s.n++
		all = append(all, s.comment(fmt.Sprint("c", s.n)))
	}
	ids := slices.Sorted(maps.Keys(s.comments))
	s.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids[:min(replaced, len(ids))] {
		all = append(all, s.comment(id))
	}
	for some := range slices.Chunk(all, 100) {
		testkit.Value(s.s.Import(s.Context(), some))(s.T)
	}
	for _, c := range all {
		s.comments[c.ID] = c
	}
}

// remove deletes comments.
func (s *shop) remove(n int) {
	s.Helper()
	ids := slices.Sorted(maps.Keys(s.comments))
	s.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids[:min(n, len(ids))] {
		testkit.Value(s.s.Delete(s.Context(), id, nil))(s.T)
		delete(s.comments, id)
	}
}

// list returns the comments that are wanted, oldest first.
func (s *shop) list(w pages.Which) (all []store.Comment) {
	for _, c := range s.comments {
		which := (&stats.Counted{HasText: c.Text != "", Verified: c.IsVerified(), HasPhotos: len(c.Photos) > 0, Incentivized: c.Incentive != ""}).Which()
		if w.Languages.Has(c.Language) && w.Ratings.Has(c.Rating) && w.Flags.Passes(which) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b store.Comment) int { return a.Position().Compare(b.Position()) })
	return all
}

// ask calls a question of the page numbers as they are.
func (s *shop) ask(n *pages.Numbers, question func(context.Context, pages.Moment) error) {
	s.Helper()
	testkit.Must(s.T, n.Ask(s.Context(), func(m pages.Moment) error { return question(s.Context(), m) }))
}

// check compares answers with the comments, in some filters.
func (s *shop) check() {
	s.Helper()
	s.ask(s.s.PageNumbers().Of(product), s.checkAt)
	s.checkTimeline()
}

func (s *shop) checkAt(ctx context.Context, m pages.Moment) error {
	s.Helper()
	for range 12 {
		w := pages.Which{
			Languages: []key.Languages{"", "en", "de,pt-BR", "fr"}[s.r.IntN(4)], Ratings: key.Ratings(s.r.IntN(32)), Flags: stats.Which(s.r.IntN(4)),
		}
		want := s.list(w)
		testkit.Equal(s, testkit.Value(m.Total(ctx, w))(s.T).Total(), len(want), "%+v: total", w)
		testkit.Equal(s, testkit.Value(m.Counts(ctx, key.Times{}))(s.T).Of(w.Languages, w.Ratings, w.Flags).Total(), len(want), "%+v: counts", w)
		for _, k := range []int{0, len(want) / 3, len(want) - 1, len(want)} {
			at, ok, err := m.At(ctx, w, k, false)
			back, okBack, errBack := m.At(ctx, w, len(want)-1-k, true)
			testkit.Must(s.T, err)
			testkit.Must(s.T, errBack)
			if k < 0 || k >= len(want) {
				testkit.Check(s, !ok && !okBack, "%+v: number %d of %d is %v, %v", w, k, len(want), at, back)
				continue
			}
			testkit.Check(s, ok && at.Compare(want[k].Position()) == 0, "%+v: number %d of %d is %v, want %v", w, k, len(want), at, want[k].Position())
			testkit.Check(s, okBack && back.Compare(at) == 0, "%+v: number %d of %d from the end is %v, want %v", w, k, len(want), back, at)
			for _, at := range []key.Position{at, {CreatedAt: at.CreatedAt}} {
				older := 0
				for _, c := range want {
					if c.Position().Compare(at) < 0 {
						older++
					}
				}
				s.ask(s.s.PageNumbers().Of(product), func(ctx context.Context, alone pages.Moment) error {
					for _, m := range []pages.Moment{m, alone} {
						testkit.Equal(s, testkit.Value(m.Before(ctx, at, w))(s.T).Total(), older, "%+v: before %v", w, at)
						newer := testkit.Value(m.Counts(ctx, key.Times{From: at.CreatedAt}))(s.T).Of(w.Languages, w.Ratings, w.Flags).Total()
						testkit.Check(s, at.CommentID != "" || newer == len(want)-older, "%+v: %d from %v, %d older of %d", w, newer, at, older, len(want))
					}
					return nil
				})
			}
		}
	}
	return nil
}

func (s *shop) checkTimeline() {
	s.Helper()
	language := []string{"", "en"}[s.r.IntN(2)]
	var from, until time.Time
	if s.r.IntN(2) == 0 { // else it may be known
		from = time.Date(2024, time.Month(1+s.r.IntN(4)), 1+s.r.IntN(28), 0, 0, 0, 0, time.UTC)
		until = from.AddDate(0, 0, s.r.IntN(60))
	}
	want := map[time.Time]stats.Tally{}
	for _, c := range s.list(pages.Which{Languages: key.Languages(language)}) {
		day := c.CreatedAt.Truncate(24 * time.Hour)
		if !c.CreatedAt.Before(from) && (until.IsZero() || c.CreatedAt.Before(until)) {
			t := want[day]
			t[c.Rating-1]++
			want[day] = t
		}
	}
	got := map[time.Time]stats.Tally{}
	for _, d := range testkit.Value(s.s.PageNumbers().Of(product).Timeline(s.Context(), language, from, until))(s.T) {
		got[d.Date] = d.Tally
	}
	testkit.Check(s, maps.Equal(got, want), "%s to %s in %q: %v, want %v", from, until, language, got, want)
}

// verified fails unless everything derived agrees with the comments.
func (s *shop) verified() {
	s.Helper()
	storetest.Verified(s, s.s.Projector())
}
