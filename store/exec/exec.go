// Package exec carries out a plan: it queries the plan's partitions in
// parallel, merges them on the sort key, reads on only in the partition that
// ran dry, and stops when the page is full.
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

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// Item is one item of a partition with its place in the order.
type Item[T any] struct {
	SortKey string
	Value   T
}

// Range is a stretch of the total order. Both ends are exclusive; nil is open.
type Range struct {
	After      *key.Position // where reading starts
	Until      *key.Position // where it stops
	Descending bool          // newest first
}

// Empty tells whether nothing can lie between the ends.
func (r Range) Empty() bool {
	if r.After == nil || r.Until == nil {
		return false
	}
	c := r.After.Compare(*r.Until)
	return c == 0 || (c < 0) == r.Descending
}

// Request asks for the next items of one partition.
type Request struct {
	Partition key.Partition
	Range
	Limit int
}

// Batch is the answer to a request.
type Batch[T any] struct {
	Items []Item[T]
	Next  *key.Position // where to read on: the LastEvaluatedKey; nil at the partition's end
	Units float64       // read capacity units
}

// Fetch reads a batch. Its errors end the page as they are: there are no
// partial pages. It is called from several goroutines at once.
type Fetch[T any] func(context.Context, Request) (Batch[T], error)

// Cost is what a page cost.
type Cost struct {
	Units      float64 // read capacity units
	Queries    int
	RoundTrips int // one after the other; parallel queries are one
	ItemsRead  int // also those that were read and not shown
}

// Page returns the first want items of the range in the merged order of the
// plan's partitions, fewer only if the range holds no more.
func Page[T any](ctx context.Context, p plan.Plan, r Range, want int, fetch Fetch[T]) ([]Item[T], Cost, error) {
	var cost Cost
	if want <= 0 || r.Empty() || len(p.Reads) == 0 {
		return nil, cost, nil
	}
	sources := make([]source[T], len(p.Reads))
	for i, read := range p.Reads {
		sources[i] = source[T]{partition: read.Partition, next: r.After, limit: min(read.Limit, want)}
	}
	out := make([]Item[T], 0, want)
	for {
		if err := refill(ctx, sources, r, fetch, &cost); err != nil {
			return nil, cost, err
		}
		for {
			s, dry := head(sources, r.Descending)
			if dry {
				break
			}
			if s == nil {
				return out, cost, nil
			}
			item := s.pop()
			if n := len(out); n > 0 && out[n-1].SortKey == item.SortKey {
				continue
			}
			if out = append(out, item); len(out) == want {
				return out, cost, nil
			}
		}
		for i := range sources {
			sources[i].limit = want - len(out)
		}
	}
}

// refill reads on in every source that ran dry, in parallel.
func refill[T any](ctx context.Context, sources []source[T], r Range, fetch Fetch[T], cost *Cost) error {
	var dry []*source[T]
	for i := range sources {
		if sources[i].dry() {
			dry = append(dry, &sources[i])
		}
	}
	cost.RoundTrips++
	cost.Queries += len(dry)
	if len(dry) == 1 { // the usual case needs no goroutine
		if err := dry[0].fill(ctx, r, fetch); err != nil {
			return err
		}
	} else {
		group, ctx := errgroup.WithContext(ctx)
		for _, s := range dry {
			group.Go(func() error { return s.fill(ctx, r, fetch) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	for _, s := range dry {
		cost.Units += s.units
		cost.ItemsRead += len(s.items)
	}
	return nil
}

// head returns the source whose head comes first, nil if all are exhausted.
// dry is true if some source must be refilled before that is known. There are
// at most five ratings, so looking at every head beats a heap.
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
