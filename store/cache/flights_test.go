package cache_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/testkit"
	"product-comments/store/cache"
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

// A caller that leaves, even the one that began the run, does not end it for others.
func TestOthersWaitOnWhenOneLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		release := make(chan struct{})
		run := func(ctx context.Context) string {
			select {
			case <-release:
				return "answer"
			case <-ctx.Done():
				return "stopped"
			}
		}
		first := ask(t.Context(), &f, run)
		synctest.Wait()
		second := ask(t.Context(), &f, run)
		synctest.Wait()
		first.leave()
		o := <-first.got
		testkit.Check(t, errors.Is(o.err, context.Canceled), "the one that left: %+v", o)
		synctest.Wait()
		close(release)
		o = <-second.got
		testkit.Check(t, o.value == "answer" && !o.began && o.err == nil, "the one that stayed: %+v", o)
		second.leave()
	})
}

// The last caller to leave stops the run and waits for its end. A caller that comes
// after that begins a new run.
func TestLastToLeaveStopsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		stopped, finish := make(chan struct{}), make(chan struct{})
		only := ask(t.Context(), &f, func(ctx context.Context) string {
			<-ctx.Done()
			close(stopped)
			<-finish
			return "too late"
		})
		synctest.Wait()
		only.leave()
		<-stopped
		later := ask(t.Context(), &f, func(context.Context) string { return "anew" })
		o := <-later.got
		testkit.Check(t, o.value == "anew" && o.began, "the later one: %+v", o)
		later.leave()
		synctest.Wait()
		select {
		case o := <-only.got:
			t.Errorf("it did not wait for the run's end: %+v", o)
		default:
		}
		close(finish)
		o = <-only.got
		testkit.Check(t, errors.Is(o.err, context.Canceled), "%+v", o)
	})
}

// Each caller has a deadline of its own, and the run has only the one that it sets.
func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f cache.Flights[string, string]
		run := func(ctx context.Context) string {
			if _, ok := ctx.Deadline(); ok {
				return "the run has a caller's deadline"
			}
			time.Sleep(time.Minute) // of the bubble's clock
			return "answer"
		}
		hasty, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var group sync.WaitGroup
		group.Go(func() {
			_, _, err := f.Do(hasty, "key", run)
			testkit.Check(t, errors.Is(err, context.DeadlineExceeded), "the hasty one: %v", err)
		})
		group.Go(func() {
			v, _, err := f.Do(t.Context(), "key", run)
			testkit.Check(t, v == "answer" && err == nil, "the patient one: %s, %v", v, err)
		})
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
