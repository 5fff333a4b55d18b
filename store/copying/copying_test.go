package copying_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/embedded"
	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/copying"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/moderation"
	"product-comments/store/pack"
	"product-comments/store/settings"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func open(t *testing.T) *store.Store {
	t.Helper()
	return openOn(t, storetest.Client(t))
}

// openSource opens a table of the embedded engine, whatever the other is in.
func openSource(t *testing.T) *store.Store {
	t.Helper()
	e := testkit.Value(embedded.Open(t.Context(), embedded.Options{DataDir: t.TempDir()}))(t)
	t.Cleanup(func() {
		err := e.Close()
		testkit.Check(t, err == nil, "%v", err)
	})
	return openOn(t, e)
}

func openOn(t *testing.T, client store.API) *store.Store {
	t.Helper()
	s := store.New(client, storetest.TableName(t), store.Options{MetaAge: 20 * time.Millisecond, CallTimeout: 2 * time.Second})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	return s
}

func comments(n int) []store.Comment {
	list := make([]store.Comment, n)
	for i := range list {
		list[i] = store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: fmt.Sprint(i % 3), Rating: 1 + i%5, Language: "en", Author: "A", Title: "T",
			Text: strings.Repeat(fmt.Sprintf("text %d ", i), 20), CreatedAt: time.Date(2026, 1, 2, 3, 4, i, i, time.UTC),
		}
	}
	return list
}

// items returns the items of a table that are copied, by key, without the attributes that
// belong to the table itself.
func items(t *testing.T, s *store.Store) map[string]table.Item {
	t.Helper()
	all := make(chan table.Item, 10_000)
	testkit.Must(t, s.Projector().Table().NewScanner(table.ScanOptions{}).Run(t.Context(), func(_ context.Context, it table.Item) error { all <- it; return nil }))
	close(all)
	out := map[string]table.Item{}
	for it := range all {
		if pk, sk := table.Text(it, key.PK), table.Text(it, key.SK); copying.Copied(pk, sk) {
			delete(it, "gen")
			out[pk+" "+sk] = it
		}
	}
	return out
}

// A copy has the same items, whatever happens to it half-way, and counts them
// again.
func TestCopy(t *testing.T) {
	ctx := t.Context()
	from, to := openSource(t), open(t)
	samples := make([]pack.Words, 300)
	for i := range samples {
		samples[i] = pack.Words{Title: "Title", Text: strings.Repeat(fmt.Sprintf("some words %d ", i), 5)}
	}
	if _, err := from.Packing().Train(ctx, settings.Whatever, samples); err != nil {
		t.Fatal(err)
	}
	time.Sleep(30 * time.Millisecond) // until what is known of the settings is older than MetaAge
	list := comments(130)
	if _, err := from.Import(ctx, list); err != nil {
		t.Fatal(err)
	}
	list[0].Title = "Changed" // which has another version then
	if _, err := from.Import(ctx, list[:1]); err != nil {
		t.Fatal(err)
	}
	if _, err := from.Settings().Change(ctx, func(s *settings.Settings) (bool, error) { s.Buckets, s.Generation = 7, 3; return true, nil }); err != nil {
		t.Fatal(err)
	}

	pre := moderation.Pre
	testkit.Must(t, from.Moderation().SetMode(ctx, "9", &pre))

	o := copying.Options{Source: "here"}
	if done, err := copying.Begin(ctx, to, o.Source); done || err != nil {
		t.Fatal(done, err)
	}
	// What a pass did that was stopped: some is there, some in an old form, some too much.
	for _, c := range []store.Comment{{ID: "c005", ProductID: "9", Rating: 1, Language: "de", CreatedAt: time.Unix(1, 0)}, {ID: "surplus", ProductID: "9", Rating: 1, Language: "de", CreatedAt: time.Unix(1, 0)}} {
		if _, err := to.Import(ctx, []store.Comment{c}); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := copying.Begin(ctx, to, o.Source); done || err != nil {
		t.Errorf("going on: %v, %v", done, err)
	}
	done, err := copying.Passes(ctx, from, to, o)
	testkit.Check(t, err == nil && done.Comments == 130 && done.Others == 2 && done.Written == 132 && done.Deleted == 1, "%+v, %v", done, err)
	want := items(t, from)
	got := items(t, to)
	testkit.Check(t, reflect.DeepEqual(got, want) && len(got) == 132, "%d items, want %d, or they differ", len(got), len(want))
	if now, err := to.Settings().Read(ctx); err != nil || now.Buckets != 7 || now.Dictionary != 1 {
		t.Errorf("the settings are %+v, %v", now, err)
	}
	if mode, err := to.Moderation().ModeOf(ctx, "9"); err != nil || mode != pre {
		t.Errorf("the product is moderated as %s, %v", mode, err)
	}
	if again, err := copying.Passes(ctx, from, to, o); err != nil || again.Written+again.Deleted != 0 {
		t.Errorf("again: %+v, %v", again, err)
	}
	if comment, err := to.Get(ctx, "c000"); err != nil || comment.Title != "Changed" || comment.Version != 2 || !comment.CreatedAt.Equal(list[0].CreatedAt) {
		t.Errorf("%+v, %v", comment, err)
	}
	testkit.Must(t, copying.Seal(ctx, to, o.Source))
	if done, err := copying.Begin(ctx, to, o.Source); !done || err != nil {
		t.Errorf("a copy that may have been written to: %v, %v", done, err)
	}
	testkit.Must(t, copying.End(ctx, to, o.Source))
	if _, err := copying.Begin(ctx, to, o.Source); errs.CodeOf(err) != errs.Conflict {
		t.Errorf("a complete copy: %v", err)
	}
}

// Nothing that is there is overwritten.
func TestOnlyEmptyTables(t *testing.T) {
	s := open(t)
	if _, err := s.Import(t.Context(), comments(1)); err != nil {
		t.Fatal(err)
	}
	if _, err := copying.Begin(t.Context(), s, "here"); errs.CodeOf(err) != errs.Conflict {
		t.Errorf("got %v", err)
	}
	other := open(t)
	if _, err := copying.Begin(t.Context(), other, "here"); err != nil {
		t.Fatal(err)
	}
	if _, err := copying.Begin(t.Context(), other, "there"); errs.CodeOf(err) != errs.Conflict || !strings.Contains(err.Error(), "here") {
		t.Errorf("got %v", err)
	}
}

// A source that changes during every pass is not called complete.
func TestBusySource(t *testing.T) {
	ctx := t.Context()
	from, to := open(t), open(t)
	var n atomic.Int64
	o := copying.Options{Source: "here", Progress: func(step string, _ int64) {
		if strings.Contains(step, "items that the source does not have") { // one more at the end of each pass
			c := comments(1)[0]
			c.ID = fmt.Sprintf("late%d", n.Add(1))
			_, err := from.Import(ctx, []store.Comment{c})
			testkit.Check(t, err == nil, "%v", err)
		}
	}}
	if _, err := from.Import(ctx, comments(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := copying.Passes(ctx, from, to, o); !errors.Is(err, copying.ErrBusy) {
		t.Errorf("got %v", err)
	}
	if done, err := copying.Passes(ctx, from, to, copying.Options{Source: "here"}); err != nil || done.Written == 0 {
		t.Errorf("quiet: %+v, %v", done, err)
	}
}

// Every kind of item is either copied or derived.
func TestCopied(t *testing.T) {
	for pk, want := range map[string]bool{
		key.Comment("1"): true, key.Idempotency("x"): true, key.Meta("dictionary-2"): true, key.Erasure("1"): true,
		key.Product("42"): false, key.Checkpoint("s"): false, key.BucketCheckpoint("s", 1, 2): false, key.Meta("statistics"): false, key.Meta("demo"): false,
		"LATER#1": true, // of a later version: better too much than lost
	} {
		testkit.Equal(t, copying.Copied(pk, "S"), want, "%s: copied", pk)
	}
	testkit.Check(t, copying.Copied(key.Product("42"), key.ColumnsSK) && copying.Copied(key.AttributeFills, key.Product("42")), "how far comments are as definitions say is not copied")
	testkit.Check(t, copying.Copied(key.Product("42"), key.AttributesRevisionSK(3)) && copying.Copied(key.AttributeGroup("shoes"), key.AttributesSK), "definitions of attributes are not copied")
}

// A copy of a table that is to be upgraded would be taken for one of its own format.
func TestCopyOfAnotherFormat(t *testing.T) {
	from, name := open(t), storetest.TableName(t)
	to := store.New(storetest.Client(t), name+"-later", store.Options{Format: settings.Format + 1})
	testkit.Must(t, to.EnsureTable(t.Context(), true))
	_, err := copying.Passes(t.Context(), from, to, copying.Options{})
	testkit.Check(t, errs.CodeOf(err) == errs.Conflict && strings.Contains(err.Error(), "table upgrade --apply"), "got %v", err)
}
