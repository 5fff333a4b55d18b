package table

import (
	"context"
	"time"
)

// Pause waits between two tries, twice as long each time up to a limit, and at
// random so that those who collided once do not collide again.
type Pause struct {
	random *Random
	next   time.Duration
}

// The first and the longest pause, both on average.
const (
	FirstPause = 10 * time.Millisecond
	MostPause  = time.Second
)

// NewPause returns the pause before the second try.
func (t *Table) NewPause() *Pause { return &Pause{t.random, FirstPause} }

// Wait returns the context's error if that ends first.
func (p *Pause) Wait(ctx context.Context) error {
	this := p.next/2 + time.Duration(p.random.Int64N(int64(p.next)))
	p.next = min(2*p.next, MostPause)
	return Sleep(ctx, this)
}

// Reset makes the next pause the first one again.
func (p *Pause) Reset() { p.next = FirstPause }

// Sleep returns the context's error if that ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

type patientKey struct{}

// Patiently returns a context whose reads wait throttling out as writes do, until
// it ends: for what writes, and for long work.
func Patiently(ctx context.Context) context.Context {
	return context.WithValue(ctx, patientKey{}, true)
}

// IsPatient tells whether Patiently returned the context, or one of its parents.
func IsPatient(ctx context.Context) bool { return ctx.Value(patientKey{}) != nil }

// read makes a call again only for those who are patient.
func read[T any](ctx context.Context, t *Table, call func() (T, error)) (T, error) {
	if !IsPatient(ctx) {
		return call()
	}
	return repeat(ctx, t, call)
}

// repeat makes a call again for as long as DynamoDB answers that it should be
// made later, until the context ends.
func repeat[T any](ctx context.Context, t *Table, call func() (T, error)) (T, error) {
	var pause *Pause
	for {
		out, err := call()
		if err == nil || !isLater(err) {
			return out, err
		}
		if pause == nil {
			pause = t.NewPause()
		}
		if pause.Wait(ctx) != nil {
			return out, err // that of the store says more than that the time is over
		}
	}
}
