package table

import (
	"context"
	"errors"
	"sync"
	"time"
)

// The retry budget. The figures are the SDK's own, with room for the requests under way when an
// engine is replaced.
const (
	budgetTokens = 2500 // in a full bucket: 500 retries
	repetition   = 5    // tokens for a retry; refunded if it succeeds
	reward       = 1    // tokens earned by a call that succeeds

	restAfter    = 50                     // consecutive failures
	restNotUntil = time.Second            // after the last success
	lookEvery    = 100 * time.Millisecond // between probes of a resting store
)

// Retry is how long a client should wait when the store is throttled or down.
const Retry = time.Second

// Budget bounds the load that retries add to a failing store: in an outage a call is made once
// instead of being retried until its deadline. Retries take tokens from a bucket, and
// successful calls refill it. When no call has succeeded for a while, the store rests: calls
// fail immediately, except for a probe from time to time that finds out whether the store is
// back.
//
//	calls succeed ──► the bucket is full: failed calls are retried
//	some fail     ──► retries cost more than successes earn: fewer and fewer
//	all fail      ──► no retries; then the store rests, with 10 probes a second
//	one succeeds  ──► calls are made again, and earn retries
//
// All clients of one store in a process share one Budget. It is safe for concurrent use.
type Budget struct {
	now func() time.Time

	mu       sync.Mutex
	tokens   int
	failures int       // since the last success
	success  time.Time // the last one
	look     time.Time // when the next probe may be made
	spent    BudgetFigures
}

// BudgetFigures are the figures of a budget since the start of the process.
type BudgetFigures struct {
	Left        float64 // part of a full budget, 0 to 1
	Repetitions int64   // paid by the budget
	Denied      int64   // refused, since the bucket was empty
	Rested      int64   // calls that were not made, since the store rests
}

// Figures returns the budget's figures.
func (b *Budget) Figures() BudgetFigures {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.spent
	out.Left = float64(b.tokens) / budgetTokens
	return out
}

// NewBudget returns a full budget. A nil clock is time.Now.
func NewBudget(now func() time.Time) *Budget {
	if now == nil {
		now = time.Now
	}
	return &Budget{now: now, tokens: budgetTokens, success: now()}
}

// errResting is the error of calls that were not made because the store rests. Like throttling,
// it means that nothing was done.
var errResting = errors.New("the store has not answered for a while, so it was not called")

// IsResting reports whether a call failed without being made, since the store rests.
func IsResting(err error) bool { return errors.Is(err, errResting) }

// admit returns errResting for a call that must not be made, since the store rests.
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

// answered records a call that the store served, even if a condition failed.
func (b *Budget) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures, b.success = 0, b.now()
	b.tokens = min(b.tokens+reward, budgetTokens)
}

// failed records a call that the store did not serve.
func (b *Budget) failed() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
}

// spend takes the tokens of a retry and reports whether there were enough.
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

// refund returns the tokens of a successful retry.
func (b *Budget) refund() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.tokens+repetition, budgetTokens)
}

// again waits for the pause before a retry by this package, and pays for the retry. Long work
// is never refused: it waits longer instead, since few clients do long work.
func (b *Budget) again(ctx context.Context, pause *Pause) bool {
	if b.spend() {
		return pause.Wait(ctx) == nil
	}
	return isLongWork(ctx) && pause.longest(ctx) == nil
}
