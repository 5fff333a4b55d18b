// Package faults defines what can go wrong with a call of DynamoDB: once for
// package double, which lets it befall calls in memory, and for package
// faultproxy, which lets it befall calls of a real engine.
package faults

import (
	"math/rand/v2"
	"time"
)

// Rates say how often each fault befalls a call that it can concern: each is a
// probability from 0 to 1.
type Rates struct {
	// Throttled and Unreachable calls have no effect. Internal calls are answered
	// with a server's error, half of them after they took effect.
	Throttled, Internal, Unreachable float64
	// Lost calls take effect, and then the connection breaks before or within the answer.
	Lost float64
	// Latency is how long a call takes at most, a part before and a part after its
	// effect.
	Latency time.Duration

	// What follows needs to know what a call means, so the double alone has it.

	// Conflict concerns writes of single items and transactions: another
	// transaction is under way.
	Conflict float64
	// Repeated calls take effect, and up to a second later are executed once
	// more, whose answer counts: so the SDK repeats a call whose answer was lost.
	// Reads only take longer.
	Repeated float64
	// PartialBatch leaves some keys or writes of a batch unprocessed.
	PartialBatch float64
	// EmptyRecords answers without records although more follow.
	EmptyRecords float64
	// Again answers with some records once more that were delivered before.
	Again float64
	// StaleList lists the shards as they were up to some seconds ago. If it is
	// not zero, the lists are also in no order: a child may come before its parent.
	StaleList       float64
	ExpiredIterator float64
}

// Error is an error that a call is answered with.
type Error int

// The errors of calls.
const (
	None Error = iota
	Unreachable
	Internal
	Throttled
	Conflict
)

// Fate is what befalls one call.
type Fate struct {
	Before, After time.Duration // of the call's time
	Error         Error
	Lost          bool
	Repeated      time.Duration // until it is executed once more; 0 if it is not
	// Second is the other of the two forms that a fault has: of [Throttled] the
	// ThrottlingException, of [Internal] an error after the effect, of a lost
	// answer one that breaks off in the middle.
	Second bool
}

// Refused reports whether the call has no effect.
func (f Fate) Refused() bool { return f.Error != None && !(f.Error == Internal && f.Second) }

// Struck reports whether more befalls the call than a moment's delay.
func (f Fate) Struck() bool {
	return f.Error != None || f.Lost || f.Repeated > 0 || f.Before+f.After > time.Millisecond
}

// repeatWithin is how long the SDK waits at most until it repeats a call.
const repeatWithin = time.Second

// leastTime is what every part of a call takes, so that nothing can be done
// endlessly often in no time.
const leastTime = time.Microsecond

// Draw decides about a call.
func (r Rates) Draw(dice *rand.Rand) Fate {
	var out Fate
	total := time.Duration(dice.Int64N(int64(max(r.Latency, leastTime))))
	before := time.Duration(dice.Int64N(int64(total) + 1))
	out.Before, out.After = leastTime+before, leastTime+total-before
	// Always the same number of draws: one fault more does not alter the others.
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
