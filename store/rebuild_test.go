package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/stats"
	"product-comments/store/storetest"
	"product-comments/store/stream"
	"product-comments/store/table"
)

// becomeKept waits until the statistics are kept.
func becomeKept(t testing.TB, s *store.Store) settings.Settings {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		now, err := s.Settings().Read(ctx)
		must(t, err)
		if now.State == settings.StateKept {
			return now
		}
		if err := table.Sleep(ctx, 5*time.Millisecond); err != nil {
			t.Fatalf("they are still %s", now.State)
		}
	}
}

// Until a rebuild has ended, nobody is shown half of it; one that was
// interrupted goes on, and two do not get in each other's way.
func TestRebuildIsResumed(t *testing.T) {
	t.Parallel()
	var c clock
	s := quick(t, &c)
	r := testkit.Random(t)
	m := shop{}
	for range 30 {
		m.change(t, r, s)
	}
	project(t, s)
	m.check(t, s)
	first, stop := storetest.Consume(t, s.Projector(), stream.Options{})
	ctx, interrupt := context.WithCancel(t.Context())
	err := first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { interrupt() }})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	_, err = s.Statistics(t.Context(), []stats.Scope{{ProductID: "1"}})
	wantCode(t, err, "UNAVAILABLE")
	m.change(t, r, s)
	second, _ := storetest.Consume(t, s.Projector(), stream.Options{})
	if err := second.Rebuild(t.Context(), stream.RebuildOptions{}); !errors.Is(err, stream.ErrOtherRebuild) {
		t.Fatalf("the first one ended a moment ago: %v", err)
	}
	c.advance(2 * time.Minute) // now it is given up, and the consumer takes it up again
	becomeKept(t, s)
	project(t, s)
	m.check(t, s)
	verified(t, s, m)
	if meta, err := s.Settings().Read(t.Context()); err != nil || meta.Generation != 1 {
		t.Errorf("%+v, %v", meta, err)
	}
}
