package table

import (
	"context"
	"math"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// Meter adds up the cost of the calls that are made with its context. When callers share a
// read, the first one pays for it. Meter is safe for concurrent use.
type Meter struct {
	// OnRead is called after each read with the units so far; nil for no calls. It is set before the
	// first read.
	OnRead func(units float64)

	mu             sync.Mutex
	units, written float64
	roundTrips     int
}

type meterKey struct{}

// WithMeter returns a context and a new meter for its reads.
func WithMeter(ctx context.Context) (context.Context, *Meter) {
	m := &Meter{}
	return context.WithValue(ctx, meterKey{}, m), m
}

// Read returns the read capacity units and the round trips so far. Parallel calls of one page
// or batch are one round trip.
func (m *Meter) Read() (units float64, roundTrips int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units, m.roundTrips
}

// Written returns the write capacity units so far.
func (m *Meter) Written() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.written
}

// Wrote adds write units to the meter of a context, if it has one.
func Wrote(ctx context.Context, units float64) {
	if m, _ := ctx.Value(meterKey{}).(*Meter); m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.written += units
	}
}

// Spent adds other reads to the meter of a context, if it has one.
func Spent(ctx context.Context, units float64, roundTrips int) {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	if m == nil {
		return
	}
	m.mu.Lock()
	m.units += units
	m.roundTrips += roundTrips
	total := m.units
	m.mu.Unlock()
	if m.OnRead != nil {
		m.OnRead(total)
	}
}

// Unseen subtracts from the meter of a context the difference in cost between a strongly consistent
// read of an item and of a missing item: so the cost does not reveal an item that the viewer must
// not see. The item may be nil.
func Unseen(ctx context.Context, it Item) {
	const unit = 4096 // bytes
	Spent(ctx, 1-max(1, math.Ceil(float64(SizeOf(it))/unit)), 0)
}

// metered makes a read of at most atMost units, charges the allowance of the context, and adds
// the read to the meter. For patient callers it retries.
func metered[T any](ctx context.Context, t *Table, what string, atMost float64,
	call func() (T, error)) (out T, err error) {
	done, err := allow(ctx, atMost, 0)
	if err != nil {
		return out, Failed("read "+what, err)
	}
	if !IsPatient(ctx) {
		out, err = call()
	} else {
		out, err = repeat(ctx, t, call)
	}
	if err != nil {
		_ = done(0, 0, 0)
		return out, Failed("read "+what, err)
	}
	consumed := units(out)
	Spent(ctx, consumed, 1)
	items, bytes := sizeOf(out)
	return out, done(consumed, items, bytes)
}

// sizeOf returns the number and bytes of the items in a response.
func sizeOf(answer any) (items, bytes int) {
	var all []Item
	switch out := answer.(type) {
	case *dynamodb.GetItemOutput:
		all = []Item{out.Item}
	case *dynamodb.QueryOutput:
		all = out.Items
	case *dynamodb.BatchGetItemOutput:
		for _, found := range out.Responses {
			all = append(all, found...)
		}
	}
	for _, it := range all {
		bytes += SizeOf(it)
	}
	return len(all), bytes
}
