package table

import (
	"context"
	"sync"

	"product-comments/store/errs"
)

// Upper bounds of the read capacity units of a call. Only the answer has the actual units.
const (
	unitsOfItem  = 20  // an item with the longest text, read consistently
	unitsOfRow   = 0.7 // an item of an index, with the longest text that it carries
	unitsOfStart = 1   // a query that finds nothing, or one small item
	unitsOfPage  = 128 // a response of DynamoDB's maximum size

	bytesOfUnit = 8192 // that a query reads for a unit

	// What the calls of a request under way may read together, which fits in its memory: pages of
	// 20 of a hundred products.
	unitsAtOnce = 1600
	itemsAtOnce = 2200
)

// Allowance bounds the read units of one request. A call begins only if its upper bound fits in
// what the request has left, after subtracting the upper bounds of the calls under way.
// Otherwise it waits for those calls, and begins only if some units remain. So a request
// exceeds its allowance by one call at most, however many reads it makes in parallel. Writes,
// and the reads that belong to a write, are not bounded: a write is never left half done.
// Allowance is safe for concurrent use.
type Allowance struct {
	most float64
	hold Hold

	mu       sync.Mutex
	spent    float64
	underWay float64       // upper bound of the calls under way
	items    int           // that they may evaluate
	ended    chan struct{} // closed when a call ends; nil if no call waits
}

type allowanceKey struct{}

// Hold is called with zeros before a call, and after it with the number and bytes of the items
// that it read. Its error becomes the call's.
type Hold func(items, bytes int) error

// WithAllowance returns a context with an allowance for its reads, in read units. hold bounds what
// they take in memory; nil is no bound.
func WithAllowance(ctx context.Context, units float64, hold Hold) context.Context {
	return context.WithValue(ctx, allowanceKey{}, &Allowance{most: units, hold: hold})
}

// allow waits until a call that consumes at most atMost units and evaluates at most items may
// begin. The caller must pass
// the consumed units, and the number and bytes of the items, to done, and return its error. allow
// returns a BadUserInput error if the allowance is spent, the error of its Hold, or the context's.
func allow(ctx context.Context, atMost float64, items int) (done func(units float64, items, bytes int) error, err error) {
	a, _ := ctx.Value(allowanceKey{}).(*Allowance)
	if a == nil || patienceOf(ctx) == writer {
		return func(float64, int, int) error { return nil }, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.underWay > 0 && (a.underWay+atMost > min(a.most-a.spent, unitsAtOnce) || a.items+items > itemsAtOnce) {
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
	if err := a.held(0, 0); err != nil {
		return nil, err
	}
	a.underWay += atMost
	a.items += items
	return func(units float64, found, bytes int) error {
		defer a.end(atMost, units, items) // others begin when this one is counted
		return a.held(found, bytes)
	}, nil
}

func (a *Allowance) held(items, bytes int) error {
	if a.hold == nil {
		return nil
	}
	return a.hold(items, bytes)
}

// end ends a call, with its upper bounds and its actual units.
func (a *Allowance) end(atMost, units float64, items int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.items -= items
	a.underWay -= atMost
	if a.underWay < 1e-6 { // rounding errors
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

// atMost returns an upper bound of the query's read units.
func (q Query) atMost() float64 {
	if q.Limit == 0 {
		return unitsOfPage
	}
	return min(unitsOfStart+unitsOfRow*float64(q.Limit), unitsOfPage)
}
