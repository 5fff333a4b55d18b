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

// meter adds a call that was answered, and returns what it consumed.
func meter(ctx context.Context, answer any) float64 {
	consumed := units(answer)
	Spent(ctx, consumed, 1)
	return consumed
}
