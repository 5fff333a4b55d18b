package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// SortSource is the table, as a plan that sorts sees it.
type SortSource[T any] interface {
	Source[T]
	// Judge reports whether an item passes as far as is known of it, and sets its position in
	// the list.
	Judge(of *Item[T], told Told, known Extent) bool
	// Whole reads items whole, and returns those that pass but for the values of attributes,
	// and what that did cost.
	Whole(context.Context, []Item[T]) ([]Item[T], plan.Spent, error)
}

// Extent is how much is known of an item.
type Extent uint8

// Extents of what is known.
const (
	InPart  Extent = iota // other columns may tell more of it
	InLists               // as much as lists and all of the columns tell that are needed
	InWhole
)

// Told are an item's values in those columns in which it was read.
type Told []struct{ Column, Value string }

// Of returns the value in a column; ok is false if it was not read there.
func (t Told) Of(column string) (value string, ok bool) {
	for _, in := range t {
		if in.Column == column {
			return in.Value, true
		}
	}
	return "", false
}

// gathered is an item that was gathered for a page.
type gathered[T any] struct {
	Item[T]
	told Told
}

// sort gathers all items of scans that may be wanted, and what else is needed of them, and
// adds those of the range to the page, in the order of the list.
func (x *executor[T]) sort(ctx context.Context, n *plan.Sort) error {
	from, ok := x.from.(SortSource[T])
	if !ok {
		return errors.New("the list cannot be sorted")
	}
	bound := x.budget.left
	all, err := x.gather(ctx, n.Of.Scans)
	if errors.Is(err, ErrBound) { // so many that a walk finds them soon
		return x.walk(ctx, from, n, nil, plan.Gathered{Bound: bound})
	}
	for at := n.Begun(len(all), bound-x.budget.left, bound); err == nil; {
		step := n.Next(at)
		switch step.Do {
		case plan.SortAll:
			x.out = x.first(x.sorted(from, all, InLists))
			return nil
		case plan.ReadWhole:
			return x.whole(ctx, from, all, at.Ordered)
		case plan.WalkAmong:
			return x.walk(ctx, from, n, all, at)
		}
		column := at.Columns[step.Column]
		var more []gathered[T]
		if step.Do == plan.LookUp {
			more, err = x.lookUp(ctx, column, all)
		} else {
			more, err = x.gather(ctx, []*plan.Scan{column})
		}
		if errors.Is(err, ErrBound) {
			return x.walk(ctx, from, n, all, at)
		}
		all = join(all, more, column.Only.Attributes)
		at = at.After(step.Column, float64(len(all)), bound-x.budget.left)
	}
	return err
}

// join adds to items what a column tells of them. Where only those in it are wanted the
// others are left out.
func join[T any](all, column []gathered[T], only bool) (joined []gathered[T]) {
	values := make(map[string]Told, len(column))
	for _, c := range column {
		values[c.At.CommentID] = c.told
	}
	for _, c := range all {
		if value, ok := values[c.At.CommentID]; ok || !only {
			c.told = append(c.told, value...)
			joined = append(joined, c)
		}
	}
	return joined
}

// walk reads a list in its order for those items that were gathered, nil for any, at being
// what gathering has come to. If it finds too little they are read whole, if the bound pays
// for that.
func (x *executor[T]) walk(ctx context.Context, from SortSource[T], n *plan.Sort, all []gathered[T], at plan.Gathered) error {
	may, whole := n.WalkFor(float64(len(all)), at.Bound-x.budget.left, at.Bound)
	w := executor[T]{from: x.from, want: x.want, in: x.in, budget: &budget{left: may, readers: 1}}
	if all != nil {
		w.among, w.free = make(map[string]bool, len(all)), at.Checked()
		for _, c := range all {
			w.among[c.At.CommentID] = true
		}
	}
	err := w.pull(ctx, n.Walk.Root)
	x.out = w.out
	x.cost.Add(w.cost)
	x.budget.spend(w.cost.Units)
	if all != nil && whole && errors.Is(err, ErrBound) {
		return x.whole(ctx, from, all, false)
	}
	return err
}

// whole reads items whole and adds those of the range that pass to the page, in the order of
// the list. Where their order is known it reads no more than it must.
func (x *executor[T]) whole(ctx context.Context, from SortSource[T], all []gathered[T], ordered bool) error {
	if ordered {
		all = x.sorted(from, all, InPart)
	}
	var passed []gathered[T]
	for len(all) > 0 && (!ordered || len(passed) < x.want) {
		n := len(all)
		if ordered {
			n = min(n, 2*(x.want-len(passed)))
		}
		if plan.LeastUnits*float64(n) > x.budget.left {
			return ErrBound
		}
		items := make([]Item[T], n)
		for i := range items {
			items[i] = all[i].Item
		}
		read, spent, err := from.Whole(ctx, items)
		x.cost.Add(Cost{Spent: spent, RoundTrips: 1})
		x.budget.spend(spent.Units)
		if err != nil {
			return err
		}
		some := make([]gathered[T], len(read))
		for i := range read {
			some[i].Item = read[i]
		}
		passed, all = append(passed, x.sorted(from, some, InWhole)...), all[n:]
	}
	x.out = x.first(passed)
	return nil
}

// first returns the first of some items that the page shows, and one more.
func (x *executor[T]) first(of []gathered[T]) []Item[T] {
	items := make([]Item[T], min(len(of), x.want))
	for i := range items {
		items[i] = of[i].Item
	}
	return items
}

// sorted returns those items of the range that pass as far as is known of them, in the order
// in which it is read.
func (x *executor[T]) sorted(from SortSource[T], all []gathered[T], known Extent) []gathered[T] {
	in := x.in
	inOrder := func(a, b key.Position) int {
		if n := cmp.Compare(a.Segment, b.Segment); n != 0 {
			if in.Backward {
				n = -n
			}
			return n
		}
		if in.Descending {
			a, b = b, a
		}
		return key.Compare(a, b)
	}
	inside := all[:0]
	for _, c := range all {
		if from.Judge(&c.Item, c.told, known) && (in.After == nil || inOrder(*in.After, c.At) < 0) && (in.Until == nil || inOrder(c.At, *in.Until) < 0) {
			inside = append(inside, c)
		}
	}
	slices.SortFunc(inside, func(a, b gathered[T]) int { return inOrder(a.At, b.At) })
	return inside
}

// gather reads scans to their ends, in parallel, and returns each item once. It returns
// ErrBound where they hold much more than the plan says, or cost more than they may.
func (x *executor[T]) gather(ctx context.Context, scans []*plan.Scan) ([]gathered[T], error) {
	should := 1.0
	for _, s := range scans {
		should += s.Units
	}
	g := gatherer[T]{x: x, bound: min(x.budget.left, 2*should), readers: len(scans), places: map[string]int{}}
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range scans {
		group.Go(func() error {
			defer g.done()
			in := Range{Descending: true}
			for trips := 1; ; trips++ {
				next, err := g.read(ctx, s, in, s.Limit, trips)
				if err != nil || next == nil {
					return err
				}
				in.After = next
			}
		})
	}
	err := group.Wait()
	return g.end(), err
}

// lookers is how many queries look items up at once.
const lookers = 8

// lookUp returns those of some items that a column has under the one value that is wanted.
// There they are in the order of time: each query begins at the first item that those before
// it have not reached. It returns ErrBound where that costs more than it may.
func (x *executor[T]) lookUp(ctx context.Context, s *plan.Scan, wanted []gathered[T]) ([]gathered[T], error) {
	places := make([]key.Position, len(wanted))
	for i, c := range wanted {
		places[i] = key.Position{CreatedAt: c.At.CreatedAt, CommentID: c.At.CommentID}
	}
	slices.SortFunc(places, func(a, b key.Position) int { return key.Compare(b, a) })
	g := gatherer[T]{x: x, bound: x.budget.left, readers: lookers, places: map[string]int{}}
	group, ctx := errgroup.WithContext(ctx)
	for left := range slices.Chunk(places, len(places)/lookers+1) {
		group.Go(func() error {
			defer g.done()
			for trips := 1; len(left) > 0; trips++ {
				before := key.Position{CreatedAt: left[0].CreatedAt.Add(1)}
				next, err := g.read(ctx, s, Range{Descending: true, After: &before}, s.InBlock(), trips)
				if err != nil || next == nil {
					return err
				}
				for len(left) > 0 && key.Compare(left[0], *next) >= 0 {
					left = left[1:]
				}
			}
			return nil
		})
	}
	err := group.Wait()
	return g.end(), err
}

// gatherer gathers items within a bound. It is safe for concurrent use.
type gatherer[T any] struct {
	x     *executor[T]
	bound float64

	mu      sync.Mutex
	readers int // that share what is left
	units   float64
	trips   int
	all     []gathered[T]
	places  map[string]int // in all, by comment id
}

// done is called by a reader that has read all.
func (g *gatherer[T]) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readers--
}

// end returns what was gathered.
func (g *gatherer[T]) end() []gathered[T] {
	g.x.cost.RoundTrips += g.trips
	return g.all
}

// read makes one query of a scan, of so many items or as many as the bound leaves, and takes
// what it finds. It returns ErrBound where the bound leaves none.
func (g *gatherer[T]) read(ctx context.Context, s *plan.Scan, in Range, limit, trips int) (next *key.Position, err error) {
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
	column := s.Partition.Column()
	for _, it := range b.Items {
		i, ok := g.places[it.At.CommentID]
		if !ok {
			i = len(g.all)
			g.places[it.At.CommentID], g.all = i, append(g.all, gathered[T]{Item: it})
		}
		if column != "" {
			g.all[i].told = append(g.all[i].told, struct{ Column, Value string }{column, cmp.Or(s.Prefix, it.At.Value)})
		}
	}
	g.x.paid(s, b)
	g.units += b.Units
	g.trips = max(g.trips, trips)
	return b.Next, nil
}
