package table

import (
	"context"
	"time"
)

// Pause waits between two tries, twice as long each time up to a limit, and at
// random so that people who collided once do not collide again.
type Pause struct {
	random     *Random
	next, most time.Duration
}

// The first and the longest pause, both on average. Who waits because others were
// faster waits less: the store has time for it, and after each pause it may be too
// late again.
const (
	FirstPause     = 10 * time.Millisecond
	MostPause      = time.Second
	MostAfterALoss = 100 * time.Millisecond
)

// NewPause returns the pause before the second try.
func (t *Table) NewPause() *Pause { return &Pause{t.random, FirstPause, MostPause} }

// NewRace returns the pause before the second try of one whose first was lost to
// another writer of the same item.
func (t *Table) NewRace() *Pause { return &Pause{t.random, FirstPause, MostAfterALoss} }

// Wait returns the context's error if that ends first.
func (p *Pause) Wait(ctx context.Context) error {
	this := p.next/2 + time.Duration(p.random.Int64N(int64(p.next)))
	p.next = min(2*p.next, p.most)
	return Sleep(ctx, this)
}

// Sleep returns the context's error if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// longest waits as long as it ever does.
func (p *Pause) longest(ctx context.Context) error {
	p.next = p.most
	return p.Wait(ctx)
}

// patience is how a caller waits throttling out.
type patience int

const (
	visitor  patience = iota // reads are not repeated; the zero value
	writer                   // reads are repeated as writes are, while the budget lasts
	longWork                 // and when it is empty, at long intervals
)

type patienceKey struct{}

func patienceOf(ctx context.Context) patience {
	p, _ := ctx.Value(patienceKey{}).(patience)
	return p
}

func isLongWork(ctx context.Context) bool { return patienceOf(ctx) == longWork }

// Writing returns a context for a write that a caller waits for: its reads wait
// throttling out as writes do, while the budget lasts.
func Writing(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, writer)
}

// Patiently returns a context for long work, whose reads and writes wait
// throttling out until it ends. What a write does on the way that a caller waits
// for stays a part of that write.
func Patiently(ctx context.Context) context.Context {
	if patienceOf(ctx) == writer {
		return ctx
	}
	return context.WithValue(ctx, patienceKey{}, longWork)
}

// IsPatient reports whether reads with the context wait throttling out.
func IsPatient(ctx context.Context) bool { return patienceOf(ctx) != visitor }

// repeat makes a call again for as long as DynamoDB answers that it should be
// made later, until the context ends or the budget. Conflicts are not paid for:
// a write that loses one has made way for another, so they are no sign of an overload.
func repeat[T any](ctx context.Context, t *Table, call func() (T, error)) (T, error) {
	out, err := call()
	if err == nil || !isLater(err) {
		return out, err
	}
	for pause := t.NewPause(); ; {
		paid := isOverload(err)
		if paid && !t.budget.again(ctx, pause) || !paid && pause.Wait(ctx) != nil {
			return out, err // that of the store says more than that the time is over
		}
		out, err = call()
		if err == nil || !isLater(err) {
			if paid && err == nil {
				t.budget.refund()
			}
			return out, err
		}
	}
}
