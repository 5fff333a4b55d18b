package shared

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
	"product-comments/store/read/cache"
	"product-comments/store/table"
)

// What was read is kept for its age, unless it may not be or could not be read.
func TestSharedKeeps(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := New(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
	made, may, fails := 0, true, error(nil)
	do := func(want int) {
		t.Helper()
		got, err := s.Do(t.Context(), "k", func(context.Context) (int, error) { made++; return made, fails }, func(began time.Time) bool {
			testkit.Check(t, began.Equal(now), "it began at %v", began)
			return may
		})
		testkit.Check(t, got == want && errors.Is(err, fails), "got %d, %v; want %d", got, err, want)
	}
	may = false
	do(1)
	may, fails = true, errors.New("down")
	do(2)
	fails = nil
	do(3)
	do(3)
	got, ok := s.Kept("k")
	testkit.Check(t, ok && got == 3, "%d, %v", got, ok)
	now = now.Add(-time.Minute) // the clock is set back: no one knows how old it is
	_, ok = s.Kept("k")
	testkit.Check(t, !ok, "something from the future is kept")
	now = now.Add(time.Minute + 999*time.Millisecond)
	do(3)
	now = now.Add(time.Millisecond)
	do(4)
}

func TestSharedKeepsNothing(t *testing.T) {
	s := New(Options[string, int]{Now: time.Now})
	for want := range 3 {
		got, err := s.Do(t.Context(), "k", func(context.Context) (int, error) { return want, nil }, func(time.Time) bool { return true })
		testkit.Check(t, got == want && err == nil, "got %d, %v; want %d", got, err, want)
	}
	_, ok := s.Kept("k")
	testkit.Check(t, !ok, "something is kept")
}

// A product's epoch changes with its own writes, and is never an older one than
// its last, however many products are written to.
func TestEpochs(t *testing.T) {
	e := NewEpochs()
	at := time.Unix(1_700_000_000, 0)
	testkit.Check(t, e.Of("a") == e.Of("b"), "products that were never written to differ")
	e.Wrote("a", at)
	first := e.Of("a")
	e.Wrote("b", at)
	testkit.Check(t, e.Of("a") == first && e.Of("b") != first, "another product's write is one of its own, or the other way round")
	e.Wrote("a", at)
	if e.Of("a").Number <= first.Number {
		t.Errorf("after a write %+v, before it %+v", e.Of("a"), first)
	}
	last := e.Of("a")
	for i := range epochProducts + 1 {
		e.Wrote(fmt.Sprint("others", i), at)
	}
	if e.Of("a").Number < last.Number {
		t.Errorf("it is forgotten, and %+v is older than %+v", e.Of("a"), last)
	}
	testkit.Check(t, !e.Of("a").Settled(at.Add(indexLag-1)) && e.Of("a").Settled(at.Add(indexLag)), "an index is sure to show a write too early, or too late")
}

// own is an error about the caller that a read was made for.
type own struct{ error }

func (own) CallersOwn() bool { return true }

// A caller that waits for another's read makes its own if that one may not read on, or if it
// failed for a visitor, whose throttled reads are not retried, and the caller is a write.
func TestOnceIsMadeAgainForOthers(t *testing.T) {
	throttled := errors.New("throttled")
	for name, c := range map[string]struct {
		second context.Context
		fails  error
		want   int // what the second gets: 2 is its own read
	}{
		"the first is spent":               {t.Context(), own{errors.New("spent")}, 2},
		"a visitor waits for a visitor":    {t.Context(), throttled, 0},
		"a write waits for a visitor":      {table.Patiently(t.Context()), throttled, 2},
		"a write waits, the first is read": {table.Patiently(t.Context()), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var flights cache.Flights[string, Outcome[int]]
			began, end := make(chan struct{}), make(chan struct{})
			first, second := make(chan error), make(chan int)
			go func() {
				_, err := Once(t.Context(), &flights, "k", func(context.Context) (int, error) {
					close(began)
					<-end
					if c.fails != nil {
						return 0, c.fails
					}
					return 1, nil
				})
				first <- err
			}()
			<-began
			waiting := joined{Context: c.second, asked: make(chan struct{})}
			go func() {
				got, err := Once(&waiting, &flights, "k", func(context.Context) (int, error) { return 2, nil })
				testkit.Check(t, (err == nil) == (c.want > 0), "%v", err)
				second <- got
			}()
			<-waiting.asked // for its end, while it waits for the first
			close(end)
			testkit.Check(t, errors.Is(<-first, c.fails), "the first got another error")
			testkit.Equal(t, <-second, c.want, "the second")
		})
	}
}

// joined tells when someone waits for it.
type joined struct {
	context.Context
	once  sync.Once
	asked chan struct{}
}

func (j *joined) Done() <-chan struct{} {
	j.once.Do(func() { close(j.asked) })
	return j.Context.Done()
}

// What is kept is as old as the read that gave it: a slow one shows what was true
// when it began.
func TestSharedAgesFromTheBeginning(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := New(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
	slow := func(context.Context) (int, error) { now = now.Add(900 * time.Millisecond); return 1, nil }
	testkit.Value(s.Do(t.Context(), "k", slow, func(time.Time) bool { return true }))(t)
	now = now.Add(99 * time.Millisecond)
	_, ok := s.Kept("k")
	testkit.Check(t, ok, "it is not kept for its age")
	now = now.Add(time.Millisecond)
	_, ok = s.Kept("k")
	testkit.Check(t, !ok, "its age counts from when the read ended")
}
