// Package exec executes plans: one executor pulls the items of a page from the plan's tree of
// operators, for every list of the service. It queries partitions in parallel, merges them by
// sort key, refills only partitions that ran dry, and stops when the page is full. It records
// the actual cost on each scan.
//
// Invariants of the merge, for a page in descending order (ascending is its
// mirror image):
//
//  1. Every source has a contiguous run of its partition that starts right after the page's start, in order.
//  2. The next item of the page is the greatest first item of all sources, and is only taken
//     while every source has an item or is exhausted: the next item may be in the unread part
//     of a source that ran dry.
//  3. An item seen in two partitions (a rating that was edited between the two
//     queries) has one sort key, so its second appearance follows its first
//     directly and is dropped.
//
// Worked example, three items wanted:
//
//	partition 42/3: 12:30 12:04 …      page: 12:32 (5), 12:30 (3), 12:20 (5)
//	partition 42/5: 12:32 12:20 | dry
//
// After 12:20 the source of 42/5 is empty but not exhausted. The page is full,
// so nothing more is read; a fourth item would first refill 42/5.
package exec

import (
	"context"
	"errors"
	"math"
	"sync"

	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// Item is one item of a partition with its position in the list.
type Item[T any] struct {
	SortKey  string
	At       key.Position // in the list
	Language string
	Rating   int
	Size     int // bytes, as DynamoDB counts them, without the partition key
	Value    T
}

// Range is the comments between two positions of a list; descending is newest first.
type Range = list.Range[key.Position]

// Request asks for the next items of a span.
type Request struct {
	key.Span
	ProductID string    // of all its comments; empty for other items
	Only      plan.Only // the filter
	Range
	Limit   int             // items to evaluate, before the filter
	Overlay bool            // pending writes are merged in
	Among   map[string]bool // ids of the wanted comments; nil for any
}

// Batch is the result of a request.
type Batch[T any] struct {
	Items     []Item[T]
	Evaluated int           // items evaluated; 0 if there is no filter
	Next      *key.Position // the LastEvaluatedKey; nil at the partition's end
	Units     float64       // read capacity units
}

// Fetch implements Source for lists that need no sorting.
type Fetch[T any] func(context.Context, Request) (Batch[T], error)

// Cost is the actual cost of a page.
type Cost = plan.Cost

// Source is the table, as operators see it.
type Source[T any] interface {
	// Scan reads a batch. Page returns its errors unchanged: there are no partial pages. Scan
	// is called concurrently.
	Scan(context.Context, Request) (Batch[T], error)
}

// Scan implements Source.
func (f Fetch[T]) Scan(ctx context.Context, q Request) (Batch[T], error) { return f(ctx, q) }

// ErrBound is the error of a page that would exceed its plan's cost limit.
var ErrBound = errors.New("the page costs more than it may")

// Page executes a plan. It returns the first items of the range: a full page, or all if the
// range has fewer. If others follow, one more item comes last; it need not be the next one. A
// plan with a Sort needs a SortSource.
func Page[T any](ctx context.Context, p plan.Plan, r Range, from Source[T]) ([]Item[T], Cost, error) {
	if p.Strategy == plan.Refused {
		return nil, Cost{}, ErrBound
	}
	left := p.Bound
	if left == 0 {
		left = math.Inf(1)
	}
	x := executor[T]{from: from, want: p.Want(), in: r, budget: &budget{left: left, readers: 1}}
	err := x.pull(ctx, p.Root)
	if err != nil {
		x.out = nil
	}
	return x.out, x.cost, err
}

// executor pulls the items of a page from an operator.
type executor[T any] struct {
	from   Source[T]
	want   int             // items that the page needs
	among  map[string]bool // ids of the wanted comments; nil for any
	free   bool            // the comments in among are known to satisfy the conditions
	in     Range           // the remaining range
	budget *budget
	out    []Item[T]
	cost   Cost
}

// pull adds the items of an operator to the page.
func (x *executor[T]) pull(ctx context.Context, n plan.Node) error {
	switch n := n.(type) {
	case *plan.Merge:
		if x.in.Empty() {
			return nil
		}
		return x.merge(ctx, n)
	case *plan.Either:
		if x.in.Empty() {
			return nil
		}
		return x.either(ctx, n)
	case *plan.Concat:
		return x.concat(ctx, n)
	case *plan.Sort:
		return x.sort(ctx, n)
	case *plan.Within:
		return x.within(ctx, n)
	}
	return nil // nothing to read
}

// within pulls First, and Then if First exceeds its bound.
func (x *executor[T]) within(ctx context.Context, n *plan.Within) error {
	first := *x
	first.budget = &budget{left: min(n.Bound, x.budget.left), readers: 1}
	err := first.pull(ctx, n.First)
	x.out, x.cost = first.out, first.cost
	if !errors.Is(err, ErrBound) {
		return err
	}
	x.out = nil
	x.budget.spend(first.cost.Units)
	return x.pull(ctx, n.Then)
}

// scan makes one query of a scan.
func (x *executor[T]) scan(ctx context.Context, s *plan.Scan, in Range, limit int) (Batch[T], error) {
	only := s.Only
	only.Checked = only.Checked && !x.free
	return x.from.Scan(ctx, Request{Span: s.Span, ProductID: s.ProductID(), Only: only, Range: in, Limit: limit, Overlay: s.Overlay,
		Among: x.among})
}

// paid records the actual cost of a scan's query.
func (x *executor[T]) paid(s *plan.Scan, b Batch[T]) {
	spent := plan.Spent{Units: b.Units, Queries: 1, Items: max(b.Evaluated, len(b.Items))}
	s.Actual.Add(spent)
	x.cost.Spent.Add(spent)
	x.budget.spend(b.Units)
}

func (x *executor[T]) missing() int { return x.want - len(x.out) }

// budget is the remaining read units of a page. It is safe for concurrent use.
type budget struct {
	readers int // number of concurrent readers
	mu      sync.Mutex
	left    float64 // infinite if there is no bound
}

// spend subtracts the units of a read.
func (b *budget) spend(units float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= units
}

// share returns the read units that one reader of the budget may spend.
func (b *budget) share() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.left / float64(b.readers)
}
