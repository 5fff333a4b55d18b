// Package exec carries out a plan: it queries the plan's partitions in
// parallel, merges them on the sort key, reads on only in the partition that
// ran dry, and stops when the page is full. A filtered partition it reads by
// itself, and changes to the others from where it stands if it finds too little.
//
// Invariants of the merge, for a page in descending order (ascending is its
// mirror image):
//
//  1. Every source holds a run of its partition that starts right after the
//     page's start: no gaps, in order.
//  2. The next item of the page is the greatest head of all sources, and is
//     only taken while every source has a head or is exhausted: a source that
//     ran dry may hold the next item in what was not read yet.
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
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// Item is one item of a partition with its place in the order.
type Item[T any] struct {
	SortKey  string
	At       key.Position // in the list
	Language string
	Rating   int
	Size     int // bytes, as DynamoDB counts them, without the partition key
	Value    T
}

// Range is a stretch of the comments' order; descending is newest first.
type Range = list.Range[key.Position]

// Request asks for the next items of a span.
type Request struct {
	key.Span
	Only plan.Only // what is wanted of it
	Range
	Limit int // items to look at, filtered or not
}

// Batch is the answer to a request.
type Batch[T any] struct {
	Items     []Item[T]
	Evaluated int           // items that were looked at; 0 if all were wanted
	Next      *key.Position // where to read on: the LastEvaluatedKey; nil at the partition's end
	Units     float64       // read capacity units
}

// Fetch reads a batch. Its errors end the page as they are: there are no
// partial pages. It is called from several goroutines at once.
type Fetch[T any] func(context.Context, Request) (Batch[T], error)

// Cost is what a page cost.
type Cost = plan.Cost

// ErrBound is the error of a page that would cost more than its plan allows.
var ErrBound = errors.New("the page costs more than it may")

// Page returns the items of the range in the merged order of the plan's
// partitions, as many as the page shows, and fewer only if the range holds no
// more. Behind them stands one more item if others follow; it need not be the
// next one.
func Page[T any](ctx context.Context, p plan.Plan, r Range, fetch Fetch[T]) ([]Item[T], Cost, error) {
	if len(p.Segments) > 0 {
		return inTurn(ctx, p, r, fetch)
	}
	return stretchOf(ctx, p, r, &budget{bounded: p.Bound > 0, left: p.Bound, readers: 1}, fetch)
}

// stretchOf is Page of a plan without segments.
func stretchOf[T any](ctx context.Context, p plan.Plan, r Range, b *budget, fetch Fetch[T]) ([]Item[T], Cost, error) {
	if r.Empty() || len(p.Reads) == 0 {
		return nil, Cost{}, nil
	}
	page := page[T]{plan: &p, in: r, fetch: fetch, budget: b, out: make([]Item[T], 0, p.Want())}
	reads := p.Reads
	if p.Strategy == plan.Filtered {
		done, err := page.filtered(ctx)
		if err != nil || done {
			return page.out, page.cost, err
		}
		reads = p.Instead
	}
	if err := page.merge(ctx, reads); err != nil {
		return nil, page.cost, err
	}
	return page.out, page.cost, nil
}

// page is a page that is being read.
type page[T any] struct {
	plan   *plan.Plan
	in     Range // what is still to be read
	fetch  Fetch[T]
	budget *budget
	out    []Item[T]
	cost   Cost
}

// budget is what a page may still cost, in read units. It is safe for concurrent use.
type budget struct {
	bounded bool
	readers int // that share it
	mu      sync.Mutex
	left    float64
}

// spend takes what was read from the budget.
func (b *budget) spend(units float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left -= units
}

// share returns the read units that one reader of the budget may spend; infinite if there
// is no bound.
func (b *budget) share() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.bounded {
		return math.Inf(1)
	}
	return b.left / float64(b.readers)
}

// fit makes the next queries of some sources read no more than the page may still cost. ok
// is false if it may not cost as much as an item of each.
func (p *page[T]) fit(dry []*source[T]) (ok bool) {
	begun := plan.LeastUnits * float64(len(dry)) // blocks that are not read to their ends
	one, next := 0.0, 0.0
	for _, s := range dry {
		one += s.each()
		next += float64(s.limit) * s.each()
	}
	left := plan.Fill * (p.budget.share() - begun)
	if next > left {
		for _, s := range dry {
			s.limit = max(1, int(float64(s.limit)*left/next))
		}
	}
	return one <= left
}

func (p *page[T]) missing() int { return p.plan.Want() - len(p.out) }

func (p *page[T]) paid(in key.Partition, b Batch[T]) {
	p.cost.Spend(in, b.Units, max(b.Evaluated, len(b.Items)))
	p.budget.spend(b.Units)
}

// filtered reads the partition of all ratings as long as the plan says so. done
// is true when the page is complete or the range is at its end.
func (p *page[T]) filtered(ctx context.Context) (done bool, err error) {
	read := p.plan.Reads[0]
	at := plan.Progress{FoundBytes: make([]int, len(p.plan.Instead))}
	for limit := read.Limit; ; {
		b, err := p.fetch(ctx, Request{Span: read.Span, Only: read.Only, Range: p.in, Limit: limit})
		if err != nil {
			p.out = nil
			return false, err
		}
		p.paid(read.Partition, b)
		p.cost.RoundTrips++
		at.Evaluated += max(b.Evaluated, len(b.Items))
		at.Found += len(b.Items)
		at.Blocks += int(b.Units * 2)
		for _, item := range b.Items {
			if part := p.plan.Part(item.Language, item.Rating); part >= 0 {
				at.FoundBytes[part] += item.Size
			}
		}
		p.out = append(p.out, b.Items[:min(len(b.Items), p.missing())]...)
		if p.missing() == 0 || b.Next == nil {
			return true, nil
		}
		p.in.After = b.Next
		if limit = p.plan.ReadOn(at); limit == 0 {
			return false, nil
		}
	}
}

// merge reads partitions in parallel until the page is complete.
func (p *page[T]) merge(ctx context.Context, reads []plan.Read) error {
	shown := make([]int, len(reads)) // of each, after a filtered read
	for _, item := range p.out {
		if part := p.plan.Part(item.Language, item.Rating); part >= 0 {
			shown[part]++
		}
	}
	sources := make([]source[T], len(reads))
	for i, read := range reads {
		most := p.missing()
		if len(reads) > 1 && shown[i] == len(p.out) && !read.Partition.Index.Apart() { // see toRead
			most = max(1, most-1)
		}
		s := source[T]{of: read, next: p.in.After, shown: shown[i]}
		s.limit = min(read.Limit, s.toRead(most))
		sources[i] = s
	}
	for {
		if err := p.refill(ctx, sources); err != nil {
			return err
		}
		for {
			s, dry := head(sources, p.in.Descending)
			if dry {
				break
			}
			if s == nil {
				return nil
			}
			item := s.pop()
			if n := len(p.out); n > 0 && p.out[n-1].SortKey == item.SortKey || s.of.Partition.Index.Apart() && p.has(item.At.CommentID) {
				continue
			}
			s.shown++
			if p.out = append(p.out, item); p.missing() == 0 {
				return nil
			}
		}
		if p.missing() == 1 && p.last(sources) {
			return nil
		}
		for i := range sources {
			sources[i].limit = sources[i].toRead(p.toRead(sources, i))
		}
	}
}

// has tells whether the page shows a comment already. One whose creation time an import
// moves while it gets its first values, or loses its last one, may for a moment be among
// those that lack a value at both times.
func (p *page[T]) has(commentID string) bool {
	return slices.ContainsFunc(p.out, func(it Item[T]) bool { return it.At.CommentID == commentID })
}

// toRead is how much of a source that ran dry the page can still need: all that it
// lacks. If everything shown is from it and others have something, the
// item that tells whether more follow need not be its own: nothing is read
// beyond a page of any partition.
func (p *page[T]) toRead(sources []source[T], i int) int {
	if sources[i].shown == len(p.out) && p.missing() > 1 && anyHead(sources) {
		return p.missing() - 1
	}
	return p.missing()
}

// last completes a page that lacks only the item which tells that more follow:
// any head will do, unless it is the last item once more.
func (p *page[T]) last(sources []source[T]) bool {
	for i := range sources {
		if len(sources[i].items) > 0 && (len(p.out) == 0 || sources[i].items[0].SortKey != p.out[len(p.out)-1].SortKey) {
			p.out = append(p.out, sources[i].pop())
			return true
		}
	}
	return false
}

func anyHead[T any](sources []source[T]) bool {
	for i := range sources {
		if len(sources[i].items) > 0 {
			return true
		}
	}
	return false
}

// refill reads on in every source that ran dry, in parallel.
func (p *page[T]) refill(ctx context.Context, sources []source[T]) error {
	var dry []*source[T]
	for i := range sources {
		if sources[i].dry() {
			dry = append(dry, &sources[i])
		}
	}
	if !p.fit(dry) {
		return ErrBound
	}
	batches := make([]Batch[T], len(dry))
	if len(dry) == 1 { // the usual case needs no goroutine
		var err error
		if batches[0], err = dry[0].read(ctx, p.in, p.fetch); err != nil {
			return err
		}
	} else {
		group, ctx := errgroup.WithContext(ctx)
		for i, s := range dry {
			group.Go(func() (err error) {
				batches[i], err = s.read(ctx, p.in, p.fetch)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	p.cost.RoundTrips++
	for i, s := range dry {
		p.paid(s.of.Partition, batches[i])
		s.take(batches[i])
	}
	return nil
}

// head returns the source whose head comes first, nil if all are exhausted.
// dry is true if some source must be refilled before that is known. There are
// rarely more than five, so looking at every head beats a heap.
func head[T any](sources []source[T], descending bool) (first *source[T], dry bool) {
	for i := range sources {
		s := &sources[i]
		if s.dry() {
			return nil, true
		}
		if len(s.items) == 0 {
			continue
		}
		if first == nil || (s.items[0].SortKey > first.items[0].SortKey) == descending && s.items[0].SortKey != first.items[0].SortKey {
			first = s
		}
	}
	return first, false
}
