package admission

import (
	"fmt"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// clock is a time that only a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

func newClock() *clock { return &clock{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)} }

func TestBudget(t *testing.T) {
	c := newClock()
	b := NewBudget(600, c.now)
	take := func(client string, units float64) (Balance, bool) {
		_, ok := b.Reserve(client, units, units)
		return b.Peek(client, units), ok
	}
	left, ok := take("a", 600)
	testkit.Check(t, ok && left.Remaining == 0 && left.Limit == 600 && left.RestoreRate == 10, "a whole budget: %+v, %t", left, ok)
	left, ok = take("a", 5)
	testkit.Check(t, !ok && left.Wait == 500*time.Millisecond, "an empty budget: %+v, %t", left, ok)
	_, ok = take("b", 600)
	testkit.Check(t, ok, "another client pays for the first one")
	c.pass(500 * time.Millisecond)
	left, ok = take("a", 5)
	testkit.Check(t, ok && left.Remaining == 0, "half a second later: %+v, %t", left, ok)
	c.pass(time.Hour)
	left, ok = take("a", 1000)
	testkit.Check(t, !ok && left.Remaining == 600 && left.Wait == 0, "more than a budget holds: %+v, %t", left, ok)
	// What was read is known only afterwards: a client that overdraws waits longer.
	b.Charge("a", 0.5)
	testkit.Equal(t, b.Peek("a", 0).Remaining, 599.5, "half a unit")
	b.Charge("a", 1799.5)
	left = b.Peek("a", 10)
	testkit.Check(t, left.Remaining == -1200 && left.Wait == 121*time.Second, "three budgets: %+v", left)
	c.pass(121 * time.Second)
	testkit.Equal(t, b.Peek("a", 10).Wait, 0, "the wait after it")
}

// What is kept for work under way is settled when its price is known: the rest comes back,
// what it took beyond is owed, and nothing comes back twice.
func TestReservations(t *testing.T) {
	c := newClock()
	l := NewBudget(600, c.now)
	wantLeft := func(what string, want float64) {
		t.Helper()
		left := l.Peek("a", 0)
		testkit.Check(t, left.Remaining == want, "%s: %+v, want %v", what, left, want)
	}
	cheap, ok := l.Reserve("a", 1, 400)
	testkit.Need(t, ok, "a client with a full budget is refused")
	wantLeft("a part is kept", 200)
	dear, ok := l.Reserve("a", 1, 400) // has fewer
	testkit.Need(t, ok, "a client with a part of the bound is refused")
	wantLeft("all is kept", 0)
	_, ok = l.Reserve("a", 1, 400)
	testkit.Check(t, !ok, "a client whose whole budget is kept has more")
	cheap.Settle(10)
	wantLeft("cheap work", 390)
	cheap.Settle(10)
	wantLeft("cheap work, settled twice", 390)
	dear.Settle(1000)
	wantLeft("work that cost more than was kept", -410)
	c.pass(41 * time.Second)
	wantLeft("until it is paid", 0)
	c.pass(time.Minute)
	kept, _ := l.Reserve("a", 1, 400)
	c.pass(time.Minute)
	kept.Settle(0)
	wantLeft("a budget holds no more than a minute's", 600)
	free, ok := l.Reserve("a", 0, 0)
	testkit.Need(t, ok, "work without a bound is refused")
	free.Settle(5)
	wantLeft("work without a bound", 595)
}

func TestBudgetsAreForgotten(t *testing.T) {
	c := newClock()
	l := NewBudget(60, c.now)
	for i := range 2 * maxClients {
		l.Charge(fmt.Sprint(i), 60)
		l.Charge("often", 0.1) // who is seen again and again is not forgotten
	}
	testkit.Equal(t, l.Clients(), maxClients, "clients are remembered")
	left := l.Peek("often", 0)
	testkit.Check(t, left.Remaining <= 0, "%+v", left)
}

// A nil budget has no limit, and neither has the client without a name.
func TestNoBudget(t *testing.T) {
	for client, b := range map[string]*Budget{"a": NewBudget(0, nil), "": NewBudget(1, nil)} {
		r, ok := b.Reserve(client, 1e9, 1e9)
		r.Settle(1e9)
		b.Charge(client, 1e9)
		testkit.Check(t, ok && b.Peek(client, 1) == Balance{}, "%q has a limit: %+v", client, b.Peek(client, 1))
	}
}
