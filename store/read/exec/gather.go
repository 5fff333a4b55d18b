package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// gather reads scans to their ends, in parallel, and returns each item once. It returns
// ErrBound if they have many more items than planned, or exceed the bound.
func (x *executor[T]) gather(ctx context.Context, scans []*plan.Scan) ([]gathered[T], error) {
	should := 1.0
	for _, s := range scans {
		should += s.Units
	}
	g := gatherer[T]{x: x, bound: min(x.budget.left, 2*should), at: map[string]int{}}
	return g.inParallel(ctx, len(scans), func(ctx context.Context, i int) error {
		in := Range{Descending: true}
		for trips := 1; ; trips++ {
			next, err := g.read(ctx, scans[i], in, scans[i].Limit, trips)
			if in.After = next; err != nil || next == nil {
				return err
			}
		}
	})
}

// lookers bounds the concurrent queries of lookUp.
const lookers = 8

// lookUp returns the wanted items that an attribute index has with the one wanted value. There
// items are in the order of time: each query begins at the first item that no earlier query
// reached. It returns ErrBound if that exceeds the bound.
func (x *executor[T]) lookUp(ctx context.Context, s *plan.Scan, wanted []gathered[T]) ([]gathered[T], error) {
	at := make([]key.Position, len(wanted))
	for i, c := range wanted {
		at[i] = key.Position{CreatedAt: c.At.CreatedAt, CommentID: c.At.CommentID}
	}
	slices.SortFunc(at, func(a, b key.Position) int { return key.Compare(b, a) })
	shares := slices.Collect(slices.Chunk(at, len(at)/lookers+1))
	g := gatherer[T]{x: x, bound: x.budget.left, at: map[string]int{}}
	return g.inParallel(ctx, len(shares), func(ctx context.Context, i int) error {
		left := shares[i]
		reached := key.Position{CreatedAt: left[0].CreatedAt.Add(1)}
		for trips := 1; len(left) > 0; trips++ {
			after := key.Position{CreatedAt: left[0].CreatedAt.Add(1)}
			if key.Compare(reached, after) < 0 { // in the middle of items of the same instant
				after = reached
			}
			next, err := g.read(ctx, s, Range{Descending: true, After: &after}, s.InBlock(), trips)
			if err != nil || next == nil {
				return err
			}
			reached = *next
			for len(left) > 0 && key.Compare(left[0], reached) >= 0 {
				left = left[1:]
			}
		}
		return nil
	})
}

// gatherer gathers items within a bound. It is safe for concurrent use.
type gatherer[T any] struct {
	x     *executor[T]
	bound float64

	mu      sync.Mutex
	readers int // number of concurrent readers
	units   float64
	trips   int
	all     []gathered[T]
	at      map[string]int // index in all, by comment id
}

// inParallel returns what several readers gather.
func (g *gatherer[T]) inParallel(ctx context.Context, readers int,
	read func(ctx context.Context, i int) error) ([]gathered[T], error) {
	g.readers = readers
	group, ctx := errgroup.WithContext(ctx)
	for i := range readers {
		group.Go(func() error {
			err := read(ctx, i)
			g.mu.Lock()
			defer g.mu.Unlock()
			g.readers--
			return err
		})
	}
	err := group.Wait()
	g.x.cost.RoundTrips += g.trips
	return g.all, err
}

// read makes one query of a scan, of at most limit items and within the bound, and adds the
// items found. It returns ErrBound if the bound is used up.
func (g *gatherer[T]) read(ctx context.Context, s *plan.Scan, in Range, limit,
	trips int) (next *key.Position, err error) {
	g.mu.Lock()
	left := plan.Fill * ((g.bound-g.units)/float64(g.readers) - plan.LeastUnits)
	g.mu.Unlock()
	if limit = min(limit, int(left/s.Each)); limit < 1 {
		return nil, ErrBound
	}
	b, err := g.x.scan(ctx, s, in, limit)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	attribute := s.Partition.Column()
	g.all = slices.Grow(g.all, len(b.Items))
	for _, it := range b.Items {
		i, ok := g.at[it.At.CommentID]
		if !ok {
			i = len(g.all)
			g.at[it.At.CommentID], g.all = i, append(g.all, gathered[T]{Item: it})
		}
		if attribute != "" {
			value := struct{ Attribute, Value string }{attribute, cmp.Or(s.Prefix, it.At.Value)}
			g.all[i].read = append(g.all[i].read, value)
		}
	}
	g.x.paid(s, b)
	g.units += b.Units
	g.trips = max(g.trips, trips)
	return b.Next, nil
}
