package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/read/cache"
)

// outcome is what a caller of Do got.
type outcome struct {
	value string
	began bool
	err   error
}

// caller calls Do in a goroutine of its own.
type caller struct {
	leave context.CancelFunc
	got   chan outcome
}

func ask(ctx context.Context, f *cache.Flights[string, string], run func(context.Context) string) *caller {
	ctx, leave := context.WithCancel(ctx)
	c := &caller{leave, make(chan outcome, 1)}
	go func() {
		var o outcome
		o.value, o.began, o.err = f.Do(ctx, "key", run)
		c.got <- o
	}()
	return c
}

func TestOneRunServesAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		release, runs := make(chan struct{}), 0
		run := func(context.Context) string {
			runs++
			<-release
			return "answer"
		}
		var callers []*caller
		for range 10 {
			callers = append(callers, ask(t.Context(), &f, run))
		}
		synctest.Wait()
		close(release)
		began := 0
		for _, c := range callers {
			o := <-c.got
			testkit.Check(t, o.value == "answer" && o.err == nil, "%+v", o)
			if o.began {
				began++
			}
			c.leave()
		}
		testkit.Check(t, runs == 1 && began == 1, "%d runs, %d began one", runs, began)
		again := ask(t.Context(), &f, func(context.Context) string { return "anew" })
		o := <-again.got
		testkit.Check(t, o.value == "anew" && o.began, "after the end: %+v", o)
		again.leave()
	})
}

// A caller whose context ends leaves. If it ran the function, one of the others runs it again.
func TestOthersGoOnWhenOneLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		release, runs := make(chan struct{}), 0
		run := func(ctx context.Context) string {
			runs++
			select {
			case <-release:
				return "answer"
			case <-ctx.Done():
				return "stopped"
			}
		}
		var callers []*caller
		for range 4 {
			callers = append(callers, ask(t.Context(), &f, run))
			synctest.Wait()
		}
		for _, i := range []int{0, 2} { // the one that runs it, and another
			callers[i].leave()
			o := <-callers[i].got
			testkit.Check(t, errors.Is(o.err, context.Canceled), "the one that left: %+v", o)
			synctest.Wait()
		}
		close(release)
		began := 0
		for _, i := range []int{1, 3} {
			o := <-callers[i].got
			testkit.Check(t, o.value == "answer" && o.err == nil, "one that stayed: %+v", o)
			if o.began {
				began++
			}
			callers[i].leave()
		}
		testkit.Check(t, runs <= 3 && began == 1, "%d runs, %d of the last two began one", runs, began)
	})
}

// Each caller has a deadline of its own.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		run := func(ctx context.Context) string {
			select {
			case <-time.After(time.Minute): // of the bubble's clock
				return "answer"
			case <-ctx.Done():
				return "stopped"
			}
		}
		var group sync.WaitGroup
		for wait, in := range []time.Duration{time.Second, time.Hour, 2 * time.Second} {
			group.Go(func() {
				time.Sleep(time.Duration(wait) * time.Millisecond) // in this order
				ctx, cancel := context.WithTimeout(t.Context(), in)
				defer cancel()
				start := time.Now()
				v, _, err := f.Do(ctx, "key", run)
				testkit.Check(t, errors.Is(err, context.DeadlineExceeded) && time.Since(start) == in || v == "answer" && in == time.Hour, "within %s: %q, %v", in, v, err)
			})
		}
		group.Wait()
	})
}

func TestAPanicIsAnError(t *testing.T) {
	var f cache.Flights[string, string]
	_, began, err := f.Do(t.Context(), "key", func(context.Context) string { panic(errors.New("broken")) })
	testkit.Check(t, began && err != nil && strings.Contains(err.Error(), "broken"), "%t, %v", began, err)
}

// Who has no time left begins nothing, and never gets what a fast run returns.
func TestNoTimeLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var f cache.Flights[string, string]
	got, _, err := f.Do(ctx, "key", func(context.Context) string {
		t.Error("it ran")
		return "something"
	})
	testkit.Check(t, got == "" && errors.Is(err, context.Canceled), "%q, %v", got, err)
}
