package stream_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store"
	"product-comments/store/settings"
	"product-comments/store/simulation/double"
	"product-comments/store/stream"
)

// No process takes a rebuild away from one whose clock is wrong while it is at it; when
// it ends in the middle, another one continues within two minutes.
func TestRebuildsWhereClocksDiffer(t *testing.T) {
	for _, off := range []time.Duration{-5 * time.Hour, 0, 5 * time.Hour} {
		t.Run(fmt.Sprintf("a clock is off by %s", off), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := double.New(double.Options{}).Client("test")
				process := func(off time.Duration) (*store.Store, *stream.Consumer) {
					s := store.New(client, "comments", store.Options{PlaceAge: -1, Now: func() time.Time { return time.Now().Add(off) }})
					return s, stream.New(client, s.Projector(), stream.Options{})
				}
				s, other := process(0)
				testkit.Must(t, s.EnsureTable(t.Context(), true))
				var file []store.Comment
				for i := range 180 {
					file = append(file, store.Comment{ID: fmt.Sprint(i), ProductID: "42", Rating: 1, Language: "en", CreatedAt: time.Unix(1, 0)})
				}
				testkit.Value(s.Import(t.Context(), file))(t)
				run(t, other)
				_, first := process(off)
				stop := run(t, first)
				wait(t, first)
				meets := make(chan error, 1)
				meet := sync.OnceFunc(func() { go func() { meets <- other.Rebuild(t.Context(), stream.RebuildOptions{}) }() })
				err := first.Rebuild(t.Context(), stream.RebuildOptions{Rate: 4, Progress: func(string, int64) { meet() }})
				testkit.Check(t, err == nil, "it was not left alone: %v", err)
				err = <-meets
				testkit.Check(t, errors.Is(err, stream.ErrOtherRebuild), "another one that was begun meanwhile: %v", err)
				time.Sleep(2 * time.Minute)
				now, err := s.Settings().Read(t.Context())
				testkit.Need(t, err == nil && now.State == settings.StateKept && now.Generation == 1, "the statistics are %q, generation %d, %v", now.State, now.Generation, err)
				ctx, end := context.WithCancel(t.Context())
				defer end()
				err = first.Rebuild(ctx, stream.RebuildOptions{Progress: func(string, int64) { end() }})
				testkit.Need(t, errors.Is(err, context.Canceled), "it was to end in the middle: %v", err)
				stop()
				time.Sleep(2 * time.Minute)
				if now, err := s.Settings().Read(t.Context()); err != nil || now.State != settings.StateKept || now.Generation != 2 {
					t.Errorf("after two minutes the statistics are %q, generation %d, %v", now.State, now.Generation, err)
				}
			})
		})
	}
}
