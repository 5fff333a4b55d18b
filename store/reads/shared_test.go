package reads

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"product-comments/internal/cache"
	"product-comments/internal/testkit"
)

// What was read is kept for its age, unless it may not be or could not be read.
func TestSharedKeeps(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := NewShared(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
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
	s := NewShared(Options[string, int]{Now: time.Now})
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

// A caller that waits for another's read makes its own if that one may not read on.
func TestOnceIsMadeAgainForOthers(t *testing.T) {
	var flights cache.Flights[string, Outcome[int]]
	began, end := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := Once(t.Context(), &flights, "k", func(context.Context) (int, error) {
			close(began)
			<-end
			return 0, own{errors.New("spent")}
		})
		first <- err
	}()
	<-began
	second := make(chan int)
	waiting := joined{Context: t.Context(), asked: make(chan struct{})}
	go func() {
		got, err := Once(&waiting, &flights, "k", func(context.Context) (int, error) { return 2, nil })
		testkit.Check(t, err == nil, "%v", err)
		second <- got
	}()
	<-waiting.asked // for its end, while it waits for the first
	close(end)
	err := <-first
	testkit.Check(t, errors.As(err, &own{}), "the first: %v", err)
	testkit.Equal(t, <-second, 2, "the second")
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
	s := NewShared(Options[string, int]{Age: time.Second, Max: 1 << 20, Size: func(string, int) int { return 8 }, Now: func() time.Time { return now }})
	slow := func(context.Context) (int, error) { now = now.Add(900 * time.Millisecond); return 1, nil }
	testkit.Value(s.Do(t.Context(), "k", slow, func(time.Time) bool { return true }))(t)
	now = now.Add(99 * time.Millisecond)
	_, ok := s.Kept("k")
	testkit.Check(t, ok, "it is not kept for its age")
	now = now.Add(time.Millisecond)
	_, ok = s.Kept("k")
	testkit.Check(t, !ok, "its age counts from when the read ended")
}
