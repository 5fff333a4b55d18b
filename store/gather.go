package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/scan"
	"product-comments/store/table"
)

// gathered is a comment that was gathered for a page.
type gathered struct {
	*item.Stored
	told told
	at   key.Position
}

// gather reads all comments of a plan's partitions that its filter lets through, and what
// else is needed of them, and returns those of a window in the order of the list, with one
// more if others follow. It returns exec.ErrBound if they cost more than the page may.
func (s *Store) gather(ctx context.Context, p *plan.Plan, f plan.Filter, v values, w Window) ([]exec.Item[*item.Stored], exec.Cost, error) {
	of := v
	of.gathering = true
	fetch := s.fetch(f.ProductID, of)
	all, cost, err := gatherAll(ctx, p.Reads, p.Bound, fetch)
	if errors.Is(err, exec.ErrBound) { // so many that a walk finds them soon
		return s.walkAmong(ctx, p, f, v, w, nil, plan.Gathered{}, cost)
	}
	for at := p.Begun(len(all), cost.Units); err == nil; {
		step := p.Next(at)
		switch step.Do {
		case plan.SortAll:
			return pageOf(v.sorted(all, f.Order, w, inLists), w), cost, nil
		case plan.ReadWhole:
			items, err := s.wholeOf(ctx, p, f, v, w, all, at.Ordered, &cost)
			return items, cost, err
		case plan.WalkAmong:
			return s.walkAmong(ctx, p, f, v, w, all, at, cost)
		}
		read := at.Columns[step.Column]
		var more []gathered
		var spent exec.Cost
		if step.Do == plan.LookUp {
			more, spent, err = lookUp(ctx, read, all, p.Bound-cost.Units, fetch)
		} else {
			more, spent, err = gatherAll(ctx, []plan.Read{read}, p.Bound-cost.Units, fetch)
		}
		cost.Add(spent)
		if errors.Is(err, exec.ErrBound) {
			return s.walkAmong(ctx, p, f, v, w, all, at, cost)
		}
		all = join(all, more, read.Only.Attributes)
		at = at.After(step.Column, float64(len(all)), cost.Units)
	}
	return nil, cost, err
}

// join adds to comments what a column tells of them. Where only those in it are wanted the
// others are left out.
func join(all, column []gathered, only bool) (joined []gathered) {
	values := make(map[string]told, len(column))
	for _, c := range column {
		values[c.ID] = c.told
	}
	for _, c := range all {
		if value, ok := values[c.ID]; ok || !only {
			c.told = append(c.told, value...)
			joined = append(joined, c)
		}
	}
	return joined
}

// walkAmong reads a list in its order for those comments that were gathered, nil for any,
// at being what gathering has come to. If it finds too little they are read whole, if the
// plan pays for that.
func (s *Store) walkAmong(ctx context.Context, p *plan.Plan, f plan.Filter, v values, w Window, all []gathered, at plan.Gathered, cost exec.Cost) ([]exec.Item[*item.Stored], exec.Cost, error) {
	walk, whole := p.WalkFor(float64(len(all)), cost.Units)
	of := v
	if all != nil {
		of.among, of.checked = make(map[string]bool, len(all)), at.Checked()
		for _, c := range all {
			of.among[c.ID] = true
		}
	}
	items, spent, err := exec.Page(ctx, walk, w.Range(), s.fetch(f.ProductID, of))
	if cost.Add(spent); all != nil && whole && errors.Is(err, exec.ErrBound) {
		items, err = s.wholeOf(ctx, p, f, v, w, all, false, &cost)
	}
	return items, cost, err
}

// wholeOf reads comments whole and returns those of a window that pass, in the order of the
// list, with one more if others follow. Where their order is known it reads no more than it
// must.
func (s *Store) wholeOf(ctx context.Context, p *plan.Plan, f plan.Filter, v values, w Window, all []gathered, ordered bool, cost *exec.Cost) ([]exec.Item[*item.Stored], error) {
	if ordered {
		all = v.sorted(all, f.Order, w, inPart)
	}
	var passed []gathered
	for len(all) > 0 && (!ordered || len(passed) < p.Want()) {
		n := len(all)
		if ordered {
			n = min(n, 2*(p.Want()-len(passed)))
		}
		read, err := s.gatherWhole(ctx, p, f, v, all[:n], cost)
		if err != nil {
			return nil, err
		}
		passed, all = append(passed, v.sorted(read, f.Order, w, inWhole)...), all[n:]
	}
	return pageOf(passed, w), nil
}

// pageOf returns the first of some comments that a window shows, and one more.
func pageOf(of []gathered, w Window) []exec.Item[*item.Stored] {
	items := make([]exec.Item[*item.Stored], min(len(of), w.Limit+1))
	for i := range items {
		items[i] = exec.Item[*item.Stored]{At: of[i].at, Value: of[i].Stored}
	}
	return items
}

// sorted returns those comments of a window that pass as far as was read of them, in the
// order of the list.
func (v *values) sorted(all []gathered, o plan.Order, w Window, read extent) []gathered {
	inOrder := func(a, b key.Position) int {
		if n := cmp.Compare(a.Segment, b.Segment); n != 0 {
			return n
		}
		if o.Ascending {
			return key.Compare(a, b)
		}
		return key.Compare(b, a)
	}
	inside := all[:0]
	for _, c := range all {
		if !v.hold(c.Stored, c.told, read) {
			continue
		}
		c.at = v.place(o, c.Stored, c.told, read)
		if (w.After == nil || inOrder(*w.After, c.at) < 0) && (w.Before == nil || inOrder(c.at, *w.Before) < 0) {
			inside = append(inside, c)
		}
	}
	slices.SortFunc(inside, func(a, b gathered) int {
		if w.Backward {
			a, b = b, a
		}
		return inOrder(a.at, b.at)
	})
	return inside
}

// gatherAll reads partitions to their ends, in parallel, and returns each comment once. It
// returns exec.ErrBound where they hold much more than the plan says, or cost more than
// they may.
func gatherAll(ctx context.Context, reads []plan.Read, bound float64, fetch exec.Fetch[*item.Stored]) (all []gathered, cost exec.Cost, err error) {
	should := 1.0
	for i := range reads {
		should += reads[i].Units
	}
	g := gatherer{fetch: fetch, bound: min(bound, 2*should), readers: len(reads), places: map[string]int{}}
	group, ctx := errgroup.WithContext(ctx)
	for _, read := range reads {
		group.Go(func() error {
			defer g.done()
			q := exec.Request{Span: read.Span, Only: read.Only, Range: exec.Range{Descending: true}}
			for trips := 1; ; trips++ {
				b, err := g.read(ctx, q, read, read.Limit, trips)
				if err != nil || b.Next == nil {
					return err
				}
				q.After = b.Next
			}
		})
	}
	err = group.Wait()
	return g.all, g.cost, err
}

// lookers is how many queries look comments up at once.
const lookers = 8

// lookUp returns those of some comments that a column has under the one value that is
// wanted. There they are in the order of time: each query begins at the first comment that
// those before it have not reached. It returns exec.ErrBound where that costs more than it
// may.
func lookUp(ctx context.Context, read plan.Read, wanted []gathered, bound float64, fetch exec.Fetch[*item.Stored]) (all []gathered, cost exec.Cost, err error) {
	places := make([]key.Position, len(wanted))
	for i, c := range wanted {
		places[i] = c.Position()
	}
	slices.SortFunc(places, func(a, b key.Position) int { return key.Compare(b, a) })
	g := gatherer{fetch: fetch, bound: bound, readers: lookers, places: map[string]int{}}
	group, ctx := errgroup.WithContext(ctx)
	for left := range slices.Chunk(places, len(places)/lookers+1) {
		group.Go(func() error {
			defer g.done()
			for trips := 1; len(left) > 0; trips++ {
				before := key.Position{CreatedAt: left[0].CreatedAt.Add(1)}
				q := exec.Request{Span: read.Span, Only: read.Only, Range: exec.Range{Descending: true, After: &before}}
				b, err := g.read(ctx, q, read, read.InBlock(), trips)
				if err != nil || b.Next == nil {
					return err
				}
				for len(left) > 0 && key.Compare(left[0], *b.Next) >= 0 {
					left = left[1:]
				}
			}
			return nil
		})
	}
	err = group.Wait()
	return g.all, g.cost, err
}

// gatherer reads comments within a bound. It is safe for concurrent use.
type gatherer struct {
	fetch exec.Fetch[*item.Stored]
	bound float64

	mu      sync.Mutex
	readers int // that share what is left
	cost    exec.Cost
	all     []gathered
	places  map[string]int // in all, by comment id
}

// done is called by a reader that has read all.
func (g *gatherer) done() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.readers--
}

// read makes one query of a partition, of so many items or as many as the bound leaves,
// and takes what it finds. It returns exec.ErrBound where the bound leaves none.
func (g *gatherer) read(ctx context.Context, q exec.Request, of plan.Read, limit, trips int) (exec.Batch[*item.Stored], error) {
	g.mu.Lock()
	left := plan.Fill * ((g.bound-g.cost.Units)/float64(g.readers) - plan.LeastUnits)
	g.mu.Unlock()
	if q.Limit = min(limit, int(left/of.Each)); q.Limit < 1 {
		return exec.Batch[*item.Stored]{}, exec.ErrBound
	}
	b, err := g.fetch(ctx, q)
	if err != nil {
		return b, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	column := columnOf(of.Partition)
	for _, it := range b.Items {
		i, ok := g.places[it.Value.ID]
		if !ok {
			i = len(g.all)
			g.places[it.Value.ID], g.all = i, append(g.all, gathered{Stored: it.Value})
		}
		if column != "" {
			g.all[i].told = append(g.all[i].told, inColumn{column, cmp.Or(q.Prefix, it.At.Value)})
		}
	}
	g.cost.Spend(of.Partition, b.Units, max(b.Evaluated, len(b.Items)))
	g.cost.RoundTrips = max(g.cost.RoundTrips, trips)
	return b, nil
}

// gatherWhole reads whole comments in place of what indexes carry of them, and leaves
// out those that do not pass then.
func (s *Store) gatherWhole(ctx context.Context, p *plan.Plan, f plan.Filter, v values, all []gathered, cost *exec.Cost) ([]gathered, error) {
	if cost.Units+plan.LeastUnits*float64(len(all)) > p.Bound {
		return nil, exec.ErrBound
	}
	if len(all) == 0 {
		return all, nil
	}
	wanted, found := make([]table.Item, 0, len(all)), make(map[string]*item.Stored, len(all))
	for _, c := range all {
		if own := v.overlay.of(c.ID); own == nil {
			wanted = append(wanted, table.Key(key.Comment(c.ID)))
		} else if own.Whole != nil {
			whole := *own.Whole
			found[c.ID] = &whole
		}
	}
	within, meter := table.WithMeter(ctx)
	var damaged error
	err := s.t.GetMany(within, wanted, false, func(it table.Item) {
		if item.IsHidden(it) {
			return
		}
		c, err := item.Read(it, "")
		if err != nil {
			damaged = err
			return
		}
		found[c.ID] = &c
	})
	units, _ := meter.Read()
	cost.Units, cost.RoundTrips, cost.Items = cost.Units+units, cost.RoundTrips+1, cost.Items+len(wanted)
	cost.Queries++
	if err = cmp.Or(err, damaged); err != nil {
		return nil, err
	}
	out := all[:0]
	only := plan.Only{Languages: p.Languages, Ratings: f.Ratings, Which: f.Which()}
	for _, c := range all {
		whole := found[c.ID]
		if whole == nil || whole.ProductID != f.ProductID {
			continue
		}
		if err := s.unpack(ctx, whole); err != nil {
			return nil, err
		}
		if scan.Passes(only, &whole.Comment) {
			out = append(out, gathered{Stored: whole})
		}
	}
	return out, nil
}

// columnOf returns the attribute whose values a partition holds; empty if it holds
// none.
func columnOf(in key.Partition) string {
	if !in.Index.Apart() {
		return ""
	}
	_, attribute, value, _ := key.ParseColumn(in.Value)
	if !value {
		return ""
	}
	return attribute
}
