package table

import (
	"context"
	"errors"
	"sync"
	"time"
)

// What a store that fails may be asked again. The figures are those of the SDK's
// own bucket, with room for the requests under way when an engine is replaced.
const (
	budgetTokens = 2500 // in a full bucket: 500 repetitions
	repetition   = 5    // tokens; given back if the repetition succeeds
	reward       = 1    // tokens for each call that succeeds

	restAfter    = 50                     // calls that failed one after the other
	restNotUntil = time.Second            // after the last one that succeeded
	lookEvery    = 100 * time.Millisecond // while the store rests
)

// Retry is how long a client should wait that met a store which is throttled or
// down.
const Retry = time.Second

// Budget bounds what repetitions may add to the load of a store that fails: in an
// outage a call is made once, not as often as patience lasts. A bucket of tokens
// pays for repetitions, and calls that succeed fill it. When nothing has succeeded
// for a while the store rests: but for a call now and then that looks whether it
// is back, calls fail at once instead of holding their callers up.
//
//	calls succeed ──► the bucket is full: failed calls are repeated
//	some fail     ──► repetitions cost more than they bring: fewer and fewer
//	all fail      ──► no repetition; then the store rests, 10 calls a second look
//	one succeeds  ──► calls are made again, and earn repetitions
//
// All clients of one store in a process share one. It is safe for concurrent use.
type Budget struct {
	now func() time.Time

	mu       sync.Mutex
	tokens   int
	failures int       // since the last success
	success  time.Time // the last one
	look     time.Time // when the next call may look whether the store is back
	spent    BudgetFigures
}

// BudgetFigures are what a budget has seen.
type BudgetFigures struct {
	Left        float64 // part of a full budget, 0 to 1
	Repetitions int64   // that were paid for
	Denied      int64   // that the budget had nothing left for
	Rested      int64   // calls that failed without being made, since the store rests
}

// Figures returns what the budget has seen since the start.
func (b *Budget) Figures() BudgetFigures {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.spent
	out.Left = float64(b.tokens) / budgetTokens
	return out
}

// NewBudget returns a full budget. The clock is time.Now if it is nil.
func NewBudget(now func() time.Time) *Budget {
	if now == nil {
		now = time.Now
	}
	return &Budget{now: now, tokens: budgetTokens, success: now()}
}

// errResting is the reason for which a call was not made. It says that nothing
// was done, as throttling does.
var errResting = errors.New("the store has not answered for a while, so it was not called")

// IsResting reports whether a call failed without being made, since the store rests.
func IsResting(err error) bool { return errors.Is(err, errResting) }

// admit is asked before each call, and returns errResting while the store rests.
func (b *Budget) admit() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	if b.failures < restAfter || now.Sub(b.success) < restNotUntil {
		return nil
	}
	if now.Before(b.look) {
		b.spent.Rested++
		return errResting
	}
	b.look = now.Add(lookEvery)
	return nil
}

// answered notes a call that reached the store and was served, also one that was
// refused for a condition.
func (b *Budget) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.success = 0, b.now()
	b.tokens = min(b.tokens+reward, budgetTokens)
}

// failed notes a call that the store did not serve.
func (b *Budget) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
}

// spend pays for a repetition, if the budget allows one.
func (b *Budget) spend() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.tokens < repetition {
		b.spent.Denied++
		return false
	}
	b.spent.Repetitions++
	b.tokens -= repetition
	return true
}

// refund gives back what a repetition cost that succeeded.
func (b *Budget) refund() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+repetition, budgetTokens)
}

// again pays for a repetition by this package, after the pause that goes before
// it. Long work is never told no: it waits longer instead, and there is little of
// it however many clients there are.
func (b *Budget) again(ctx context.Context, pause *Pause) bool {
	if b.spend() {
		return pause.Wait(ctx) == nil
	}
	return isLongWork(ctx) && pause.longest(ctx) == nil
}
