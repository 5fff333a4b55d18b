package stream_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"product-comments/store"
	"product-comments/store/storetest"
)

// A rebuild was interrupted, and the stream dropped the records of its touches
// before they were read: going on with it would count nothing. It begins anew.
func TestTouchesThatWereLost(t *testing.T) {
	c := newLossCase(t, storetest.ReshardOptions{Shards: 2})
	c.h.write(30)
	first, stop := c.run()
	wait(t, first)
	c.h.check()
	stop()
	crash := errors.New("crash")
	err := c.s.Rebuild(t.Context(), store.RebuildOptions{CaughtUp: func(context.Context) error { return crash }})
	if !errors.Is(err, crash) {
		t.Fatal(err)
	}
	c.trim()
	c.clock.ahead.Store(int64(25 * time.Hour))
	second, _ := c.run()
	until(t, "kept", func() bool { return c.meta().State == store.StateKept })
	wait(t, second)
	c.h.check()
}
