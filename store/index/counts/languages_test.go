package counts_test

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/stats"
	"product-comments/store/errs"
	"product-comments/store/read/plan"
	"product-comments/store/storetest"
)

// languages returns so many different canonical languages.
func languages(t testing.TB, n int) (out []string) {
	t.Helper()
	seen := map[string]bool{}
	for i := 0; len(out) < n; i++ {
		testkit.Need(t, i != 26*26*2, "there are only %d", len(out))
		tag := string([]byte{'a' + byte(i/26%26), 'a' + byte(i%26)}) + []string{"", "-GB"}[i/26/26]
		if canonical, err := item.CanonicalLanguage("language", tag); err == nil && !seen[canonical] {
			seen[canonical] = true
			out = append(out, canonical)
		}
	}
	return out
}

// A product takes comments in so many languages and no more, whether they were
// counted already or are the ones that this process wrote.
func TestLanguagesOfAProductAreBounded(t *testing.T) {
	s := newStore(t, store.Options{MetaAge: time.Nanosecond})
	all := languages(t, stats.MaxLanguages+1)
	extra := all[stats.MaxLanguages]
	var comments []store.Comment
	for i, language := range all[:stats.MaxLanguages] {
		comments = append(comments, store.Comment{ID: fmt.Sprint(i), ProductID: "42", Rating: 1 + i%5, Language: language, CreatedAt: time.Unix(int64(i), 0)})
	}
	testkit.Value(s.Import(t.Context(), comments))(t)
	for _, state := range []string{"written", "counted"} {
		_, err := s.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: extra})
		testkit.Equal(t, errs.CodeOf(err), errs.BadUserInput, "%s: one language more: %v", state, err)
		_, err = s.Update(t.Context(), store.Change{ID: "0", Language: &extra})
		testkit.Check(t, errs.CodeOf(err) == errs.BadUserInput, "%s: a change to one language more: %v", state, err)
		for _, n := range []store.NewComment{{ProductID: "42", Rating: 5, Language: all[7]}, {ProductID: "43", Rating: 5, Language: extra}} {
			_, err := s.Create(t.Context(), n)
			testkit.Check(t, err == nil, "%s: %+v: %v", state, n, err)
		}
		storetest.Project(t, s.Projector())
		s = store.New(storetest.Client(t), s.Table(), store.Options{})
	}
}

// Two imports at once, each of five hundred languages of one product, do not see each
// other. Each keeps to the bound itself, so the product has more languages than its
// statistics list: what needs them all degrades, everything else continues, and plain
// languages heal it.
func TestTwoImportsOfTooManyLanguages(t *testing.T) {
	t.Parallel()
	one := newStore(t, store.Options{MetaAge: time.Nanosecond})
	testkit.Value(one.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 4, Language: "en"}))(t)
	storetest.Project(t, one.Projector())
	const taken = 2 * (stats.MaxLanguages - 1)
	var imports errgroup.Group
	for i, s := range []*store.Store{one, storeOn(t, one.Table(), store.Options{MetaAge: time.Nanosecond})} {
		imports.Go(func() error {
			for from := 0; from < 500; from += 50 {
				var window []store.Comment
				for n := max(1, from); n < from+50; n++ {
					window = append(window, store.Comment{ID: fmt.Sprint(i, "-", n), ProductID: "42", Rating: 5, Language: fmt.Sprintf("en-x-%d%03d", i, n), CreatedAt: time.Unix(int64(n), 0)})
				}
				_, err := s.Import(t.Context(), window)
				if want := from >= stats.MaxLanguages; (errs.CodeOf(err) == errs.BadUserInput) != want {
					return fmt.Errorf("import %d from line %d: %w", i, from, err)
				}
			}
			return nil
		})
	}
	testkit.Must(t, imports.Wait())
	check := func(state string, s *store.Store, comments int, listed bool) {
		t.Helper()
		storetest.Project(t, s.Projector())
		got, err := s.Statistics(t.Context(), []stats.Scope{{ProductID: "42"}})
		testkit.Need(t, err == nil && got[0].Total() == comments, "%s: %+v, %v", state, got, err)
		_, ok := got[0].Counted("", 0, 0)
		testkit.Check(t, ok == listed, "%s: all languages are counted: %t", state, ok)
		p, err := s.Page(t.Context(), plan.Filter{ProductID: "42", Languages: "en,en-x-0007,en-x-1007", Ratings: 0b11000}, store.Window{Limit: 3})
		testkit.Check(t, err == nil && len(p.Items) >= 3, "%s: a page of %d comments, %v", state, len(p.Items), err)
		_, err = s.Page(t.Context(), plan.Filter{ProductID: "42", Languages: "en", Regions: true}, store.Window{Limit: 3})
		testkit.Check(t, (err == nil) == listed && (err == nil || errs.CodeOf(err) == errs.Unavailable), "%s: with regions: %v", state, err)
		storetest.Verified(t, s.Projector())
	}
	later := storeOn(t, one.Table(), store.Options{MetaAge: time.Nanosecond})
	check("too many", later, taken+1, false)
	n, err := later.PlainLanguages(t.Context(), "42", nil)
	testkit.Need(t, n == taken && err == nil, "%d comments have plain languages, %v", n, err)
	storetest.Project(t, later.Projector())
	healed := storeOn(t, one.Table(), store.Options{MetaAge: time.Nanosecond})
	testkit.Value(healed.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: "de"}))(t)
	check("healed", healed, taken+2, true)
}

// A server shows a comment in a language with a region at once if it wrote it itself,
// in whatever way, and else when it is counted.
func TestANewRegionIsShown(t *testing.T) {
	var c clock
	one := newStore(t, store.Options{Now: c.now})
	other := storeOn(t, one.Table(), store.Options{Now: c.now})
	storetest.Project(t, one.Projector())
	want := func(s *store.Store, comments int) {
		t.Helper()
		p, err := s.Page(t.Context(), plan.Filter{ProductID: "42", Languages: "en", Regions: true}, store.Window{Limit: 20})
		testkit.Check(t, err == nil && len(p.Items) == comments, "%d comments, want %d: %v", len(p.Items), comments, err)
	}
	made := testkit.Value(one.Create(t.Context(), store.NewComment{ProductID: "42", Rating: 5, Language: "de"}))(t)
	want(one, 0)
	want(other, 0)
	british := "en-GB"
	testkit.Value(one.Update(t.Context(), store.Change{ID: made.ID, Language: &british}))(t)
	want(one, 1)
	testkit.Value(one.Import(t.Context(), []store.Comment{{ID: "imported", ProductID: "42", Rating: 4, Language: "en-US", CreatedAt: time.Unix(1, 0)}}))(t)
	want(one, 2)
	want(other, 0)
	title := "Fine"
	testkit.Value(other.Update(t.Context(), store.Change{ID: made.ID, Title: &title}))(t)
	want(other, 1)
	storetest.Project(t, one.Projector())
	c.advance(time.Minute)
	want(other, 2)
}
