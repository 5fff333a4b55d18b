package table

import (
	"context"
	"sync"
)

// Meter adds up what reads cost that are made with its context. It is safe for
// concurrent use. A read that callers share is paid by the one who began it.
type Meter struct {
	mu         sync.Mutex
	units      float64
	roundTrips int
}

type meterKey struct{}

// WithMeter returns a context whose reads a new meter adds up.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Read returns the read capacity units so far, and the round trips to the
// store, of which parallel ones of one page or batch are one.
func (m *Meter) Read() (units float64, roundTrips int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units, m.roundTrips
}

// Spent adds what was read otherwise to the meter of a context, if it has one.
func Spent(ctx context.Context, units float64, roundTrips int) {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += units
	m.roundTrips += roundTrips
}

// metered makes a read of so many units at most, paid from the allowance of the context
// and added to its meter. It is made again for patient callers.
func metered[T any](ctx context.Context, t *Table, what string, atMost float64, call func() (T, error)) (out T, err error) {
	done, err := allow(ctx, atMost)
	if err != nil {
		return out, Failed("read "+what, err)
	}
	consumed := 0.0
	defer func() { done(consumed) }()
	if !IsPatient(ctx) {
		out, err = call()
	} else {
		out, err = repeat(ctx, t, call)
	}
	if err != nil {
		return out, Failed("read "+what, err)
	}
	consumed = units(out)
	Spent(ctx, consumed, 1)
	return out, nil
}
