package upgrade_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/table"
	"product-comments/store/upgrade"
)

// The step that the tests make: in format 2 comments have their title in capitals.
const capitals = "capitals"

var toFormat2 = upgrade.Step{
	What: "note titles in capitals",
	Convert: func(it table.Item) (table.Write, bool) {
		want := strings.ToUpper(table.Text(it, "title"))
		if _, ok := key.CommentID(table.Text(it, key.PK)); !ok || want == table.Text(it, capitals) {
			return table.Write{}, false
		}
		w := table.Write{Key: table.Primary(it), Update: "SET capitals = :c", Values: table.Item{":c": table.S(want)}}
		return w.Unchanged(it, "title"), true
	},
}

// shop is a table with servers of both formats, and what upgrades it.
type shop struct {
	*testing.T
	db       *double.DB
	old, new *store.Store
}

func newShop(t *testing.T) *shop {
	s := &shop{T: t, db: double.New(double.Options{})}
	s.old, s.new = s.server("old", 1), s.server("new", 2)
	testkit.Must(t, s.old.EnsureTable(t.Context(), true))
	testkit.Must(t, s.new.EnsureTable(t.Context(), false))
	var comments []store.Comment
	for i := range 250 {
		comments = append(comments, comment(fmt.Sprint(i), "First"))
	}
	testkit.Value(s.old.Import(t.Context(), comments))(t)
	return s
}

func (s *shop) server(name string, format int) *store.Store {
	return store.New(s.db.Client(name), "comments", store.Options{Format: format})
}

func comment(id, title string) store.Comment {
	return store.Comment{ID: id, ProductID: "42", Rating: 5, Language: "en", Title: title, CreatedAt: time.Unix(1_700_000_000, 0).UTC()}
}

func (s *shop) upgrade() *upgrade.Upgrade {
	st := s.server("upgrade", 2)
	return &upgrade.Upgrade{Table: st.Projector().Table(), Settings: st.Settings(), Steps: []upgrade.Step{toFormat2}}
}

// write makes writes to comments of its own, as a server of the old format does, or of the
// new one, until that is refused or the context ends. It returns why it was refused.
func (s *shop) write(ctx context.Context, st *store.Store, name string) error {
	for i := 0; ctx.Err() == nil; i++ {
		id, title := fmt.Sprint(i%250), fmt.Sprint(name, " ", i)
		var err error
		switch {
		case st == s.new: // next to an edit, the capitals
			tb := st.Projector().Table()
			w := table.Write{Key: table.Key(key.Comment(id)), Update: "SET title = :t, capitals = :c", If: table.Exists,
				Values: table.Item{":t": table.S(title), ":c": table.S(strings.ToUpper(title))}}
			err = tb.Write(ctx, "edit", w)
		case i%3 == 0:
			_, err = st.Import(ctx, []store.Comment{comment(fmt.Sprint(name, i), title)})
		case i%7 == 0:
			_, err = st.Delete(ctx, id, nil)
		default:
			_, err = st.Update(ctx, store.Change{ID: id, Title: &title})
		}
		if code := errs.CodeOf(err); code == errs.Unavailable {
			return err
		} else if _, refused := table.IsRefused(err); err != nil && code != errs.NotFound && code != errs.Conflict && !refused {
			s.Errorf("%s: %v", name, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// wantUpgraded fails unless all comments have the new form, and nothing is left to do.
func (s *shop) wantUpgraded() {
	s.Helper()
	now, err := s.new.Settings().Read(s.Context())
	if err != nil || now.Format != 2 || now.Upgrade != 0 {
		s.Errorf("format %d, upgrade %d, %v", now.Format, now.Upgrade, err)
	}
	comments := 0
	for _, it := range s.db.Items() {
		if _, todo := toFormat2.Convert(it); todo {
			s.Errorf("%s is of the old format", table.Text(it, key.PK))
		}
		if table.Text(it, capitals) != "" {
			comments++
		}
		if table.Text(it, key.PK) == key.Meta("upgrade") {
			s.Error("the position is left")
		}
	}
	if pending, err := s.upgrade().Pending(s.Context()); err != nil || len(pending) > 0 || comments < 200 {
		s.Errorf("%d steps, %v, of %d comments", len(pending), err, comments)
	}
}

// A table becomes one of the next format while servers of both serve it, although the
// upgrade is stopped again and again and two processes run it. In the end the old servers
// write nothing, none of their items keeps the old form, and none of them starts.
func TestServersOfBothFormats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		ctx, stop := context.WithCancel(t.Context())
		var refused error
		var writers sync.WaitGroup
		writers.Go(func() { refused = s.write(ctx, s.old, "old") })
		writers.Go(func() {
			err := s.write(ctx, s.new, "new")
			testkit.Check(t, err == nil, "%v", err)
		})
		r := testkit.Random(t)
		var tries, reads int
		var last int64
		for ; ; tries++ {
			u := s.upgrade()
			if steps := testkit.Value(u.Pending(ctx))(t); len(steps) == 0 {
				break
			}
			u.Progress = func(items int64) { reads, last = reads+1, items }
			some, cancel := context.WithTimeout(ctx, time.Duration(1+r.IntN(12_000))*time.Millisecond)
			other := make(chan error, 1)
			go func() { other <- s.upgrade().Make(some) }()
			for _, err := range []error{u.Make(some), <-other} {
				if code := errs.CodeOf(err); err != nil && code != errs.Unavailable && code != errs.Conflict {
					t.Fatal(err)
				}
			}
			cancel()
			if now := testkit.Value(s.new.Settings().Read(ctx))(t); now.Format == 1 {
				for _, st := range []*store.Store{s.old, s.new} {
					page, err := st.Page(ctx, plan.Filter{ProductID: "42"}, store.Window{Limit: 10})
					testkit.Check(t, err == nil && len(page.Items) == 10, "a page has %d comments, %v", len(page.Items), err)
				}
			}
		}
		stop()
		writers.Wait()
		t.Logf("upgraded in %d tries, %d stretches, the last up to item %d", tries, reads, last)
		s.wantUpgraded()
		wantRefused(t, "its last write", refused)
		for what, do := range map[string]func() error{
			"a write": func() error {
				_, err := s.old.Import(t.Context(), []store.Comment{comment("late", "Late")})
				return err
			},
			"/readyz":  func() error { return s.old.Ready(t.Context()) },
			"settings": func() error { _, err := s.old.Settings().Change(t.Context(), nil); return err },
		} {
			wantRefused(t, what, do())
		}
		var wrong *settings.FormatError
		if err := s.server("late", 1).EnsureTable(t.Context(), true); !errors.As(err, &wrong) {
			t.Errorf("an old server starts: %v", err)
		}
		if err := s.server("later", 4).EnsureTable(t.Context(), true); !errors.As(err, &wrong) || !strings.Contains(err.Error(), "table upgrade --apply") {
			t.Errorf("a server of format 4 starts: %v", err)
		}
		testkit.Must(t, s.server("next", 3).EnsureTable(t.Context(), false))
	})
}

func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	var newer *settings.FormatError
	testkit.Check(t, errors.As(err, &newer) && errs.CodeOf(err) == errs.Unavailable, "%s of an old server: %v", what, err)
}

// A step that cannot begin, or whose writes could undo others, changes nothing.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		u := s.upgrade()
		u.Steps[0].Ready = func(context.Context, *table.Table) error { return errors.New("a rebuild is under way") }
		if err := u.Make(t.Context()); errs.CodeOf(err) != errs.Conflict || !strings.Contains(err.Error(), "a rebuild is under way") {
			t.Errorf("not ready: %v", err)
		}
		now := testkit.Value(s.old.Settings().Read(t.Context()))(t)
		testkit.Check(t, now.Format == 1 && now.Upgrade == 0, "not ready, and yet it is %+v", now)
		u.Steps[0] = upgrade.Step{Convert: func(it table.Item) (table.Write, bool) {
			w, ok := toFormat2.Convert(it)
			w.If = ""
			return w, ok
		}}
		if err := u.Make(t.Context()); err == nil || !strings.Contains(err.Error(), "has no condition") {
			t.Errorf("unconditional: %v", err)
		}
		testkit.Must(t, s.upgrade().Make(t.Context()))
		s.wantUpgraded()
	})
}

// An upgrade that is stopped again and again, always before its second page is noted,
// continues behind the first.
func TestContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		for tries := 0; len(testkit.Value(s.upgrade().Pending(t.Context()))(t)) > 0; tries++ {
			testkit.Need(t, tries < 20, "it begins again and again")
			ctx, stop := context.WithCancel(t.Context())
			u, pages := s.upgrade(), 0
			u.Progress = func(int64) {
				if pages++; pages == 2 {
					stop()
				}
			}
			err := u.Make(ctx)
			testkit.Need(t, err == nil || errs.CodeOf(err) == errs.Unavailable, "%v", err)
			stop()
		}
		s.wantUpgraded()
	})
}

// Of two processes that continue an upgrade at once one is refused, although both found it
// at the same position.
func TestOneProcessUpgrades(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		ctx, stop := context.WithCancel(t.Context())
		u := s.upgrade()
		u.Progress = func(items int64) {
			if items == 200 { // which is not noted any more
				stop()
			}
		}
		err := u.Make(ctx)
		testkit.Check(t, errs.CodeOf(err) == errs.Unavailable, "stopped: %v", err)
		var reached, done sync.WaitGroup
		reached.Add(2)
		var refused [2]error
		for i := range refused {
			u, first := s.upgrade(), sync.OnceFunc(func() { reached.Done(); reached.Wait() })
			u.Progress = func(int64) { first() }
			done.Go(func() { refused[i] = u.Make(t.Context()) })
		}
		done.Wait()
		testkit.Check(t, (errs.CodeOf(refused[0]) == errs.Conflict) != (errs.CodeOf(refused[1]) == errs.Conflict), "%v; %v", refused[0], refused[1])
		s.wantUpgraded()
	})
}

// Every format but the first has a step that leads to it.
func TestSteps(t *testing.T) {
	testkit.Check(t, settings.Format == len(upgrade.Steps)+1, "format %d, and %d steps", settings.Format, len(upgrade.Steps))
}
