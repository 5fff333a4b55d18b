package table

import (
	"context"
	"time"
)

// Pause waits between two attempts: on average twice as long each time up to a limit, and for a
// random time, so that writers that collided once do not collide again.
type Pause struct {
	random            *Random
	first, next, most time.Duration
}

// The average of the first and of the longest pause. After a lost race pauses are shorter,
// since the store is not overloaded and each pause may lose the next race.
const (
	FirstPause     = 10 * time.Millisecond
	MostPause      = time.Second
	MostAfterALoss = 100 * time.Millisecond
)

// NewPause returns the pauses between retries of a call.
func (t *Table) NewPause() *Pause { return t.PauseOf(FirstPause, MostPause) }

// NewRace returns the pauses between attempts that lose to other writers of the same item.
func (t *Table) NewRace() *Pause { return t.PauseOf(FirstPause, MostAfterALoss) }

// PauseOf returns pauses with an average of first, up to most.
func (t *Table) PauseOf(first, most time.Duration) *Pause {
	return &Pause{t.o.Random, first, first, max(first, most)}
}

// Reset makes the next pause short again, after an attempt succeeded.
func (p *Pause) Reset() { p.next = p.first }

// Wait waits for the next pause. It returns the context's error if that ends first.
func (p *Pause) Wait(ctx context.Context) error {
	this := p.next/2 + time.Duration(p.random.Int64N(int64(p.next)))
	p.next = min(2*p.next, p.most)
	return Sleep(ctx, this)
}

// Sleep waits for a time. It returns the context's error if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// longest waits for the longest pause.
func (p *Pause) longest(ctx context.Context) error {
	p.next = p.most
	return p.Wait(ctx)
}

// patience is how a caller retries throttled calls.
type patience int

const (
	visitor  patience = iota // reads are not retried; the zero value
	writer                   // reads are retried as writes are, while the budget lasts
	longWork                 // also retried with an empty budget, at long intervals
)

type patienceKey struct{}

func patienceOf(ctx context.Context) patience {
	p, _ := ctx.Value(patienceKey{}).(patience)
	return p
}

func isLongWork(ctx context.Context) bool { return patienceOf(ctx) == longWork }

// Writing returns a context for a write that a caller waits for: throttled reads are retried
// like writes, while the budget lasts.
func Writing(ctx context.Context) context.Context {
	return context.WithValue(ctx, patienceKey{}, writer)
}

// Patiently returns a context for long work: throttled reads and writes are retried until the
// context ends. The context of a write that a caller waits for stays unchanged.
func Patiently(ctx context.Context) context.Context {
	if patienceOf(ctx) == writer {
		return ctx
	}
	return context.WithValue(ctx, patienceKey{}, longWork)
}

// IsPatient reports whether reads with the context are retried.
func IsPatient(ctx context.Context) bool { return patienceOf(ctx) != visitor }

// repeat retries a call while DynamoDB answers that it should be made later, until the context
// ends or the budget is empty. Retries after conflicts are free: a write that loses a conflict
// made way for another one, so conflicts are no sign of an overload.
func repeat[T any](ctx context.Context, t *Table, call func() (T, error)) (T, error) {
	out, err := call()
	if err == nil || !isLater(err) {
		return out, err
	}
	for pause := t.NewPause(); ; {
		paid := isOverload(err)
		if paid && !t.o.Budget.again(ctx, pause) || !paid && pause.Wait(ctx) != nil {
			return out, err // the store's error says more than the context's
		}
		out, err = call()
		if err == nil || !isLater(err) {
			if paid && err == nil {
				t.o.Budget.refund()
			}
			return out, err
		}
	}
}
