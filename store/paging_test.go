package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

// clock is a clock that tests move.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// model is the comments of one product in memory, newest first.
type model []store.Comment

func newestFirst(a, b store.Comment) int { return key.Compare(b.Position(), a.Position()) }

// inOrder compares places of a list with an order.
func inOrder(o plan.Order, a, b key.Position) int {
	if a.Range != b.Range {
		return cmp.Compare(a.Range, b.Range)
	}
	if o.Ascending {
		return key.Compare(a, b)
	}
	return key.Compare(b, a)
}

// placeIn is the place of a comment in a list with an order.
func placeIn(o plan.Order, c *store.Comment) key.Position {
	p := c.Position()
	p.Range = o.RangeOf(c.Rating)
	return p
}

// randomModel makes comments with what breaks paging: ties, skew, bursts, runs
// of one rating, many languages, ids with separators.
func randomModel(r *rand.Rand, product string, n int) model {
	languages := []string{"en", "en", "en", "de", "pt", "pt-BR", "zh-Hant-TW"}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	run := 5
	var m model
	for i := range n {
		switch r.IntN(4) {
		case 0:
			at = at.Add(time.Duration(r.Int64N(int64(24 * time.Hour))))
		case 1:
			at = at.Add(time.Duration(r.IntN(3)))
		} // else: the same nanosecond
		if r.IntN(8) == 0 {
			run = 1 + r.IntN(5)
		}
		rating := run
		if r.IntN(5) == 0 {
			rating = 1 + r.IntN(5)
		}
		text, bought := "", true
		if r.IntN(3) > 0 {
			text = strings.Repeat("x", r.IntN(300))
		}
		m = append(m, store.Comment{
			ID: fmt.Sprintf("%s/%d#%d", product, r.IntN(10), i), ProductID: product, Rating: rating,
			Language: languages[r.IntN(len(languages))], CreatedAt: at, Title: strings.Repeat("A title of some length ", r.IntN(2)), Text: text,
			VerifiedPurchase: []*bool{nil, new(bool), &bought}[r.IntN(3)],
		})
		for range r.IntN(4) * r.IntN(2) {
			m[i].Photos = append(m[i].Photos, store.Photo{ID: storetest.PhotoID(r.Int()), Width: 1, Height: 2})
		}
	}
	slices.SortFunc(m, newestFirst)
	return m
}

func (m model) filter(f plan.Filter) model {
	var out model
	for _, c := range m {
		if f.Languages.Has(c.Language) && f.Ratings.Has(c.Rating) && f.Created.Has(c.CreatedAt) && f.Which().Passes((&stats.Counted{HasText: c.Text != "", Verified: c.IsVerified(), HasPhotos: len(c.Photos) > 0, Incentivized: c.Incentive != ""}).Which()) {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b store.Comment) int { return inOrder(f.Order, placeIn(f.Order, &a), placeIn(f.Order, &b)) })
	return out
}

// window is what Page must return: comments, and whether more follow on the
// side that the window was read towards.
func (m model) window(o plan.Order, w store.Window) (model, bool) {
	from, to := 0, len(m)
	for i := range m {
		at := placeIn(o, &m[i])
		if w.After != nil && inOrder(o, at, *w.After) <= 0 {
			from = i + 1
		}
		if w.Before != nil && inOrder(o, at, *w.Before) >= 0 {
			to = min(to, i)
		}
	}
	if from > to {
		from = to
	}
	m = m[from:to]
	more := len(m) > w.Limit
	if w.Backward {
		return m[max(0, len(m)-w.Limit):], more
	}
	return m[:min(len(m), w.Limit)], more
}

// of returns the comments of a page.
func of(items []*store.Comment) (out []store.Comment) {
	for _, c := range items {
		out = append(out, *c)
	}
	return out
}

func ids(comments []store.Comment) string {
	var b strings.Builder
	for _, c := range comments {
		b.WriteString(c.ID + " ")
	}
	return b.String()
}

func randomFilter(r *rand.Rand, product string) plan.Filter {
	f := plan.Filter{ProductID: product, Ratings: key.Ratings(r.IntN(32)).Canonical()}
	tags := []string{"en", "de", "pt", "pt-BR", "fr"}
	r.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
	f.Languages = key.LanguagesOf(tags[:r.IntN(4)]...)
	f.WithText, f.VerifiedOnly, f.WithPhotos = r.IntN(3) == 0, r.IntN(3) == 0, r.IntN(4) == 0
	if r.IntN(2) == 0 {
		f.Order = plan.Order{Field: plan.Field(r.IntN(2)), Ascending: r.IntN(2) == 0}
	}
	return f
}

// randomTimes returns a range whose ends are times of comments, or open.
func (m model) randomTimes(r *rand.Rand) key.Times {
	var ends [2]time.Time
	for i := range ends {
		if r.IntN(4) > 0 {
			ends[i] = m[r.IntN(len(m))].CreatedAt
		}
	}
	if !ends[1].IsZero() && ends[1].Before(ends[0]) {
		ends[0], ends[1] = ends[1], ends[0]
	}
	return key.TimesOf(ends[0], ends[1])
}

// Random windows over random data equal the model's, cursors included: every position goes through
// a token. exec.TestPageEqualsSort has more data, and everything that a planner may believe; here
// an engine reads.
func TestPagesEqualTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		prepare    func(s *store.Store, m model)
		strategies []plan.Strategy // that must have been used
	}{
		{"without statistics", func(s *store.Store, m model) { importAll(t, s, m) }, []plan.Strategy{plan.Single, plan.Merged, plan.Concatenated}},
		{"with statistics of a part", func(s *store.Store, m model) {
			importAll(t, s, m[300:])
			project(t, s)
			importAll(t, s, m[:300])
		}, []plan.Strategy{plan.Single, plan.Merged, plan.Filtered, plan.Concatenated}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := testkit.Random(t)
			s, _ := newStore(t)
			m := randomModel(r, "42", 400)
			c.prepare(s, m)
			used := pagesEqualTheModel(t, r, s, m)
			for _, strategy := range c.strategies {
				testkit.Check(t, used[strategy] != 0, "no page was read by %s: %v", strategy, used)
			}
		})
	}
}

func pagesEqualTheModel(t *testing.T, r *rand.Rand, s *store.Store, m model) map[plan.Strategy]int {
	used := map[plan.Strategy]int{}
	importAll(t, s, randomModel(r, "42/en", 50)) // a neighbour whose id looks like a partition of 42
	codec := testkit.Value(cursor.New(make([]byte, cursor.MinSecret)))(t)
	throughToken := func(f plan.Filter, p *key.Position) *key.Position {
		if p == nil {
			return nil
		}
		list := cursor.ListOf(codec, cursor.Comments, f.Scope())
		if f.Order.Field != plan.ByTime {
			list = cursor.ListOf(codec, cursor.Ordered, f.Scope())
		}
		token := testkit.Value(list.Encode(*p))(t)
		testkit.Need(t, len(token) <= 130, "a cursor of %d characters", len(token))
		back := testkit.Value(list.Decode(token))(t)
		return &back
	}
	for range 150 {
		f := randomFilter(r, "42")
		if r.IntN(3) == 0 {
			f.Created = m.randomTimes(r)
		}
		list := m.filter(f)
		w := store.Window{Limit: r.IntN(30), Backward: r.IntN(2) == 0}
		if r.IntN(20) == 0 {
			w.Limit = 100
		}
		// A cursor is of any comment of the list, or of one that is gone.
		for _, end := range []**key.Position{&w.After, &w.Before} {
			if from := m; r.IntN(2) == 0 {
				if len(list) > 0 && r.IntN(4) > 0 {
					from = list
				}
				p := placeIn(f.Order, &from[r.IntN(len(from))])
				*end = throughToken(f, &p)
			}
		}
		page := pageOf(t, s, f, w)
		want, more := list.window(f.Order, w)
		testkit.Need(t, ids(of(page.Items)) == ids(want), "%+v %+v\ngot  %s\nwant %s", f, w, ids(of(page.Items)), ids(want))
		for i := range page.Items {
			if got, want := page.Position(i), placeIn(f.Order, page.Items[i]); got != want {
				t.Fatalf("%+v %+v: %s is at %+v, not %+v", f, w, page.Items[i].ID, got, want)
			}
		}
		if got := page.HasNext; !w.Backward && w.Before == nil && got != more {
			t.Fatalf("%+v %+v: has next %v", f, w, got)
		}
		if got := page.HasPrevious; w.Backward && w.After == nil && got != more {
			t.Fatalf("%+v %+v: has previous %v", f, w, got)
		}
		used[page.Plan.Strategy]++
	}
	return used
}
