package settings_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// A table that was made by hand has this version's format once a process has opened it, and one
// with another number is refused. Attributes of a later version stay in the settings.
func TestFormat(t *testing.T) {
	ctx, client, name := t.Context(), storetest.Client(t), storetest.TableName(t)
	testkit.Value(client.CreateTable(ctx, store.Design().Definition(name)))(t)
	testkit.Value(client.CreateTable(ctx, table.ColumnsDefinition(name)))(t)
	s := store.New(client, name, store.Options{})
	testkit.Must(t, s.EnsureTable(ctx, false))
	if now := testkit.Value(s.Settings().Read(ctx))(t); now.State != settings.StateUnknown || now.Revision != 1 {
		t.Errorf("a table that was made by hand: %+v", now)
	}

	tb, primary := s.Projector().Table(), table.Key(key.Meta("statistics"))
	testkit.Must(t, tb.Write(ctx, "note", table.Write{Key: primary, Update: "SET later = :l", Values: table.Item{":l": table.S("kept")}}))
	testkit.Value(s.Settings().Change(ctx, func(now *settings.Settings) (bool, error) { now.Generation = 3; return true, nil }))(t)
	it := testkit.Value(tb.Get(ctx, "settings", primary))(t)
	testkit.Check(t, table.Text(it, "later") == "kept" && testkit.Value(table.Number(it, "format"))(t) == settings.Format && testkit.Value(table.Number(it, "gen"))(t) == 3, "after a change: %v", it)

	change := func() error {
		_, err := s.Settings().Change(ctx, func(now *settings.Settings) (bool, error) { now.Generation = 4; return true, nil })
		return err
	}
	write := func() error {
		_, err := s.Import(ctx, []store.Comment{{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}})
		return err
	}
	for _, number := range []string{"SET #format = :n", "REMOVE #format"} {
		w := table.Write{Key: primary, Update: number, Names: map[string]string{"#format": "format"}}
		if strings.Contains(number, ":n") {
			w.Values = table.Item{":n": table.N(settings.Format + 1)}
		}
		testkit.Must(t, tb.Write(ctx, "another number", w))
		s = store.New(client, name, store.Options{})
		var wrong *settings.FormatError
		err := s.EnsureTable(ctx, true)
		testkit.Check(t, errors.As(err, &wrong) && strings.Contains(err.Error(), "serves format 1 alone"), "%s: a server starts: %v", number, err)
		for what, do := range map[string]func() error{"/readyz": func() error { return s.Ready(ctx) }, "settings": change, "a write": write} {
			err := do()
			testkit.Check(t, errors.As(err, &wrong) && errs.CodeOf(err) == errs.Unavailable, "%s: %s: %v", number, what, err)
		}
	}
}

// A change may be projected with settings that differ from these by nothing but the sign of
// life of a rebuild: each step of the projector may take longer than the time between two.
func TestAgrees(t *testing.T) {
	began := time.Unix(1, 0)
	base := settings.Settings{Generation: 2, Revision: 3, PowerSets: map[string]settings.IndexState{"1": settings.IndexBuilding},
		Rebuild: settings.Rebuild{Began: began, By: "a", At: time.Unix(5, 0)}}
	for name, test := range map[string]struct {
		change func(*settings.Settings)
		want   bool
	}{
		"nothing":                 {func(*settings.Settings) {}, true},
		"a sign of life":          {func(s *settings.Settings) { s.Revision, s.Rebuild.At = 4, time.Unix(9, 0) }, true},
		"another process goes on": {func(s *settings.Settings) { s.Revision, s.Rebuild.By = 4, "b" }, true},
		"another rebuild":         {func(s *settings.Settings) { s.Rebuild.Began = time.Unix(2, 0) }, false},
		"another generation":      {func(s *settings.Settings) { s.Generation++ }, false},
		"an index":                {func(s *settings.Settings) { s.PowerSets = nil }, false},
		"the state of an index": {func(s *settings.Settings) {
			s.PowerSets = map[string]settings.IndexState{"1": settings.IndexReadable}
		}, false},
	} {
		other := base
		test.change(&other)
		testkit.Check(t, base.Agrees(other) == test.want, "%s: agrees is not %v", name, test.want)
		testkit.Check(t, base.Rebuild.By == "a" && base.Revision == 3, "%s: the settings changed: %+v", name, base)
	}
}

func TestMain(m *testing.M) { storetest.Main(m) }

// A note in a table is no comment.
func TestMarks(t *testing.T) {
	ctx := t.Context()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	testkit.Must(t, st.EnsureTable(ctx, true))
	for _, state := range []string{"", "loading", "done"} {
		if state != "" {
			testkit.Must(t, st.Settings().SetNote(ctx, "demo", state))
		}
		got, err := st.Settings().Note(ctx, "demo")
		testkit.Check(t, err == nil && got == state, "got %q, %v, want %q", got, err, state)
		empty, err := st.Empty(ctx)
		testkit.Check(t, err == nil && empty, "with nothing but a mark %q: empty %v, %v", state, empty, err)
	}
	c := store.Comment{ID: "1", ProductID: "42", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}
	testkit.Value(st.Import(ctx, []store.Comment{c}))(t)
	empty, err := st.Empty(ctx)
	testkit.Check(t, err == nil && !empty, "with a comment: empty %v, %v", empty, err)
	got, err := st.Settings().Note(ctx, "other")
	testkit.Check(t, err == nil && got == "", "got %q, %v", got, err)
}
