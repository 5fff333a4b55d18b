package table

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
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

// meterCalls adds a call that was answered, and returns what it consumed.
func meterCalls(ctx context.Context, consumed ...types.ConsumedCapacity) (units float64) {
	for _, c := range consumed {
		units += aws.ToFloat64(c.CapacityUnits)
	}
	Spent(ctx, units, 1)
	return units
}

// meterCall is meterCalls for a call that may not tell what it consumed.
func meterCall(ctx context.Context, consumed *types.ConsumedCapacity) float64 {
	if consumed == nil {
		return meterCalls(ctx)
	}
	return meterCalls(ctx, *consumed)
}
