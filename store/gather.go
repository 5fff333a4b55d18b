package store

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"product-comments/store/exec"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/plan"
	"product-comments/store/table"
)

// gathered is a comment that was gathered for a page.
type gathered struct {
	*item.Stored
	told told
	at   key.Position
}

// gather reads all comments of a plan's partitions that its filter lets through, and
// returns those of a window in the order of the list, with one more if others follow.
// It returns exec.ErrBound if they cost more than the page may.
func (s *Store) gather(ctx context.Context, p *plan.Plan, f plan.Filter, v values, w Window) ([]exec.Item[*item.Stored], exec.Cost, error) {
	v.whole = p.Whole
	all, cost, err := s.gatherAll(ctx, p, s.fetch(f.ProductID, v))
	read := inLists
	if err == nil && p.Whole {
		read = inWhole
		all, err = s.gatherWhole(ctx, p, f, v, all, &cost)
	}
	if err != nil {
		return nil, cost, err
	}
	inOrder := func(a, b key.Position) int {
		if n := cmp.Compare(a.Segment, b.Segment); n != 0 {
			return n
		}
		if f.Order.Ascending {
			return key.Compare(a, b)
		}
		return key.Compare(b, a)
	}
	inside := all[:0]
	for _, c := range all {
		if !v.hold(c.Stored, c.told, read) {
			continue
		}
		c.at = v.place(f.Order, c.Stored, c.told, read)
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
	items := make([]exec.Item[*item.Stored], min(len(inside), w.Limit+1))
	for i := range items {
		items[i] = exec.Item[*item.Stored]{At: inside[i].at, Value: inside[i].Stored}
	}
	return items, cost, nil
}

// gatherAll reads the plan's partitions to their ends, in parallel, and returns each
// comment once.
func (s *Store) gatherAll(ctx context.Context, p *plan.Plan, fetch exec.Fetch[*item.Stored]) (all []gathered, cost exec.Cost, err error) {
	var mu sync.Mutex
	places := map[string]int{} // in all, by comment id
	group, ctx := errgroup.WithContext(ctx)
	for _, read := range p.Reads {
		group.Go(func() error {
			column := columnOf(read.Partition)
			q := exec.Request{Partition: read.Partition, From: read.From, To: read.To, Only: read.Only, Range: exec.Range{Descending: true}, Limit: read.Limit}
			for trips := 1; ; trips++ {
				b, err := fetch(ctx, q)
				if err != nil {
					return err
				}
				mu.Lock()
				for _, it := range b.Items {
					i, ok := places[it.Value.ID]
					if !ok {
						i = len(all)
						places[it.Value.ID], all = i, append(all, gathered{Stored: it.Value})
					}
					if column != "" {
						all[i].told = append(all[i].told, inColumn{column, it.At.Value})
					}
				}
				cost.Spend(read.Partition, b.Units, max(b.Evaluated, len(b.Items)))
				cost.RoundTrips = max(cost.RoundTrips, trips)
				tooMuch := cost.ItemsRead > p.Most || cost.Units > p.Bound
				mu.Unlock()
				if b.Next == nil {
					return nil
				}
				if tooMuch {
					return exec.ErrBound
				}
				q.After = b.Next
			}
		})
	}
	err = group.Wait()
	return all, cost, err
}

// gatherWhole reads whole comments in place of what indexes carry of them, and leaves
// out those that do not pass then.
func (s *Store) gatherWhole(ctx context.Context, p *plan.Plan, f plan.Filter, v values, all []gathered, cost *exec.Cost) ([]gathered, error) {
	const unit = 0.5 // that a comment takes at least, eventually consistent
	if cost.Units+unit*float64(len(all)) > p.Bound {
		return nil, exec.ErrBound
	}
	if len(all) == 0 {
		return all, nil
	}
	wanted, found := make([]table.Item, 0, len(all)), make(map[string]*item.Stored, len(all))
	for _, c := range all {
		if own := v.own[c.ID]; own == nil {
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
	cost.Units, cost.RoundTrips, cost.ItemsRead = cost.Units+units, cost.RoundTrips+1, cost.ItemsRead+len(wanted)
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
		if only.Passes(whole.Language, whole.Rating, whole.HasText(), whole.IsVerified()) {
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
