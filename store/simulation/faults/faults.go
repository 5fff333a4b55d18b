// Package faults defines the faults of calls to DynamoDB. Package double applies them to calls in
// memory, package faultproxy to calls of a real engine.
package faults

import (
	"math/rand/v2"
	"time"
)

// Rates are the probabilities of faults, from 0 to 1. Each fault happens only in the calls that it
// concerns.
type Rates struct {
	// Throttled and Unreachable calls have no effect. Internal calls fail with a server error, half
	// of them after they took effect.
	Throttled, Internal, Unreachable float64
	// Lost calls take effect, but the connection breaks before or during the answer.
	Lost float64
	// Latency is the maximum duration of a call, divided into a part before and a part after its
	// effect.
	Latency time.Duration

	// The following faults depend on the semantics of calls. Only the double has them.

	// Conflict concerns writes of single items and transactions: they meet a transaction in
	// progress.
	Conflict float64
	// Repeated calls take effect twice, the second time up to a second later, and return the second
	// answer. The SDK causes this when it retries after a lost answer. Reads only take longer.
	Repeated float64
	// PartialBatch leaves some keys or writes of a batch unprocessed.
	PartialBatch float64
	// EmptyRecords calls return no records although more follow.
	EmptyRecords float64
	// Again calls deliver some earlier records once more.
	Again float64
	// StaleList calls list the shards of a moment up to some seconds ago. If StaleList is not zero,
	// lists are also unordered: a child may precede its parent.
	StaleList       float64
	ExpiredIterator float64
}

// Error is the error of a faulty call.
type Error int

// The errors of calls.
const (
	None Error = iota
	Unreachable
	Internal
	Throttled
	Conflict
)

// Fate is the faults of one call.
type Fate struct {
	Before, After time.Duration // durations before and after the effect
	Error         Error
	Lost          bool
	Repeated      time.Duration // delay of the second execution; 0 for none
	// Second selects the second of two forms of a fault: the ThrottlingException of [Throttled], an
	// error after the effect of [Internal], and for a lost answer one that breaks off in the
	// middle.
	Second bool
}

// Refused reports whether the call has no effect.
func (f Fate) Refused() bool { return f.Error != None && !(f.Error == Internal && f.Second) }

// Struck reports whether more befalls the call than a moment's delay.
func (f Fate) Struck() bool {
	return f.Error != None || f.Lost || f.Repeated > 0 || f.Before+f.After > time.Millisecond
}

// repeatWithin is the maximum delay before the SDK retries a call.
const repeatWithin = time.Second

// leastTime is the minimum duration of each part of a call. Without it, a loop of calls could run
// forever at one instant of the virtual clock.
const leastTime = time.Microsecond

// Draw draws the faults of one call.
func (r Rates) Draw(dice *rand.Rand) Fate {
	var out Fate
	total := time.Duration(dice.Int64N(int64(max(r.Latency, leastTime))))
	before := time.Duration(dice.Int64N(int64(total) + 1))
	out.Before, out.After = leastTime+before, leastTime+total-before
	// The number of draws is constant, so an added fault does not alter the draws of others.
	throttled, conflict, internal := dice.Float64() < r.Throttled, dice.Float64() < r.Conflict, dice.Float64() < r.Internal
	unreachable, lost, repeated := dice.Float64() < r.Unreachable, dice.Float64() < r.Lost, dice.Float64() < r.Repeated
	pause := time.Duration(1 + dice.Int64N(int64(repeatWithin)))
	out.Lost, out.Second = lost, dice.IntN(2) == 0
	switch {
	case unreachable:
		out.Error = Unreachable
	case internal:
		out.Error = Internal
	case throttled:
		out.Error = Throttled
	case conflict:
		out.Error = Conflict
	}
	if repeated {
		out.Repeated = pause
	}
	return out
}
