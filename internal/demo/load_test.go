package demo

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/plan"
	"product-comments/store/storetest"
)

func newStore(t *testing.T) *store.Store {
	t.Helper()
	st := store.New(storetest.Client(t), storetest.TableName(t), store.Options{})
	if err := st.EnsureTable(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	return st
}

// all are the demo comments, read once.
var all = sync.OnceValue(Comments)

// has tells how many comments of product 42 a table holds, up to 100.
func has(t *testing.T, st *store.Store) int {
	t.Helper()
	page, err := st.Page(t.Context(), plan.Filter{ProductID: bestseller}, store.Window{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return len(page.Items)
}

func TestLoad(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	stopped, cancel := context.WithCancel(ctx)
	if err := load(stopped, st, logger, func() []store.Comment { return all()[:60] }, cancel); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
	if state, err := st.Settings().Marked(ctx, mark); err != nil || state != loading {
		t.Fatalf("state %q, %v", state, err)
	}
	// There are comments, and it is completed all the same.
	for range 2 {
		if err := load(ctx, st, logger, func() []store.Comment { return all()[:60] }, func() {}); err != nil {
			t.Fatal(err)
		}
	}
	if got := has(t, st); got != 60 {
		t.Errorf("%d comments", got)
	}
	if got := strings.Count(log.String(), "loaded the demo comments"); got != 1 {
		t.Errorf("loaded %d times:\n%s", got, &log)
	}
	// What was deleted since stays deleted.
	for _, c := range all()[:60] {
		if _, err := st.Delete(ctx, c.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := load(ctx, st, logger, func() []store.Comment { t.Error("the comments are read again"); return nil }, nil); err != nil || has(t, st) != 0 {
		t.Errorf("%d comments, %v", has(t, st), err)
	}
}

func TestLoadOnlyIntoAnEmptyTable(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	c := store.Comment{ID: "1", ProductID: "mine", Rating: 5, Language: "en", CreatedAt: time.Unix(1, 0)}
	if _, err := st.Import(ctx, []store.Comment{c}); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	if err := Load(ctx, st, slog.New(slog.NewTextHandler(&log, nil)), nil); err != nil {
		t.Fatal(err)
	}
	if has(t, st) != 0 || !strings.Contains(log.String(), "holds comments already") {
		t.Errorf("log: %s", &log)
	}
}

func TestLoadUnavailable(t *testing.T) {
	st := newStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Load(ctx, st, slog.New(slog.DiscardHandler), nil); errs.CodeOf(err) != errs.Unavailable || !strings.Contains(err.Error(), "the next start goes on") {
		t.Errorf("got %v", err)
	}
}

// When there is a page to look at, it is what it will be when all is loaded.
func TestTheFirstPageComesFirst(t *testing.T) {
	ctx, st := t.Context(), newStore(t)
	page := func() string {
		p, err := st.Page(ctx, plan.Filter{ProductID: bestseller}, store.Window{Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, c := range p.Items {
			ids = append(ids, c.ID)
		}
		return strings.Join(ids, " ")
	}
	early := ""
	if err := load(ctx, st, slog.New(slog.DiscardHandler), func() []store.Comment { return all()[:1500] }, func() { early = page() }); err != nil {
		t.Fatal(err)
	}
	if late := page(); early != late || strings.Count(early, " ") != 19 {
		t.Errorf("early %s\nlate  %s", early, late)
	}
}
