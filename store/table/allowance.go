package table

import (
	"context"
	"sync"

	"product-comments/store/errs"
)

// What a call may consume at most, in read capacity units, which is known only
// when it has been answered.
const (
	unitsOfItem  = 20  // an item with the longest text, read consistently
	unitsOfRow   = 0.7 // an item of an index, with the longest text that it carries
	unitsOfStart = 1   // a query that finds nothing, or one small item
	unitsOfPage  = 128 // an answer of the most bytes that DynamoDB gives
)

// Allowance bounds what the reads of one request may consume together. A call
// begins only if it fits in, with all that may be under way; when it does not, it
// waits for those to end, and begins only if something is left. So what is read is
// over the allowance by one call at most, however many wish to read at once.
// Writes, and what they read on their way, are not held to it: a write is never
// left half done. It is safe for concurrent use.
type Allowance struct {
	most float64

	mu       sync.Mutex
	spent    float64
	underWay float64       // what calls under way may still consume
	ended    chan struct{} // closed when one ends; nil if none waits
}

type allowanceKey struct{}

// WithAllowance returns a context whose reads may consume so many units.
func WithAllowance(ctx context.Context, units float64) context.Context {
	return context.WithValue(ctx, allowanceKey{}, &Allowance{most: units})
}

// allow waits until a call may begin that consumes so many units at most, and
// returns a function that is to be told what it did consume. It returns a
// BadUserInput error if the allowance is spent, or the context's.
func allow(ctx context.Context, atMost float64) (done func(units float64), err error) {
	a, _ := ctx.Value(allowanceKey{}).(*Allowance)
	if a == nil || patienceOf(ctx) == writer {
		return func(float64) {}, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.underWay > 0 && a.spent+a.underWay+atMost > a.most {
		if a.ended == nil {
			a.ended = make(chan struct{})
		}
		ended := a.ended
		a.mu.Unlock()
		select {
		case <-ended:
		case <-ctx.Done():
		}
		a.mu.Lock()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if a.spent >= a.most {
		return nil, errSpent(a.spent, a.most)
	}
	a.underWay += atMost
	return func(units float64) { a.end(atMost, units) }, nil
}

// end takes a call from those under way.
func (a *Allowance) end(atMost, units float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.underWay -= atMost
	if a.underWay < 1e-6 { // sums of fractions
		a.underWay = 0
	}
	a.spent += units
	if a.ended != nil {
		close(a.ended)
		a.ended = nil
	}
}

func errSpent(spent, most float64) error {
	return errs.Exceeds(errs.ReadUnits, int64(spent), int64(most),
		"The request has consumed %d read units, the limit is %d: ask for smaller pages or fewer objects")
}

// atMost returns what a query may consume at most.
func (q Query) atMost() float64 {
	if q.Limit == 0 {
		return unitsOfPage
	}
	return min(unitsOfStart+unitsOfRow*float64(q.Limit), unitsOfPage)
}
