package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// SortSource is the Source of plans with a Sort.
type SortSource[T any] interface {
	Source[T]
	// Match sets the position of an item in the list, and reports whether the item may pass the
	// filter, given the values that were read.
	Match(of *Item[T], read IndexValues, known Extent) bool
	// Whole reads items whole. It returns the items that pass the filter without its conditions
	// on attributes, and the actual cost.
	Whole(context.Context, []Item[T]) ([]Item[T], plan.Spent, error)
}

// Extent is how much of an item was read.
type Extent uint8

// The extents.
const (
	InPart  Extent = iota // some attribute indexes; others may have more values
	InLists               // everything that lists and all needed attribute indexes have
	InWhole
)

// IndexValues are an item's values in the attribute indexes that were read.
type IndexValues []struct{ Attribute, Value string }

// Value returns the value of an attribute; ok is false if the item was not read in its index.
func (t IndexValues) Value(attribute string) (value string, ok bool) {
	for _, in := range t {
		if in.Attribute == attribute {
			return in.Value, true
		}
	}
	return "", false
}

// gathered is a candidate for a page.
type gathered[T any] struct {
	Item[T]
	read IndexValues
}

// sort gathers all candidates of the scans and the values needed to check them. It adds the
// candidates that pass and lie in the range to the page, in the order of the list.
func (x *executor[T]) sort(ctx context.Context, n *plan.Sort) error {
	from, ok := x.from.(SortSource[T])
	if !ok {
		return errors.New("the list cannot be sorted")
	}
	bound := x.budget.left
	all, err := x.gather(ctx, n.Of.Scans)
	if errors.Is(err, ErrBound) { // so many that a walk finds enough soon
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
		index := at.Indexes[step.Index]
		var more []gathered[T]
		if step.Do == plan.LookUp {
			more, err = x.lookUp(ctx, index, all)
		} else {
			more, err = x.gather(ctx, []*plan.Scan{index})
		}
		if errors.Is(err, ErrBound) {
			return x.walk(ctx, from, n, all, at)
		}
		all = join(all, more, index.Only.Attributes)
		at = at.After(step.Index, float64(len(all)), bound-x.budget.left)
	}
	return err
}

// join adds the values of an attribute index to items. With only, it drops items that are not
// in the index.
func join[T any](all, index []gathered[T], only bool) (joined []gathered[T]) {
	values := make(map[string]IndexValues, len(index))
	for _, c := range index {
		values[c.At.CommentID] = c.read
	}
	for _, c := range all {
		if value, ok := values[c.At.CommentID]; ok || !only {
			c.read = append(c.read, value...)
			joined = append(joined, c)
		}
	}
	return joined
}

// walk reads a list in its order and keeps the gathered items, or all if there are none. at is
// the state of gathering. If the walk finds too little, it reads the gathered items whole, if
// the bound allows that.
func (x *executor[T]) walk(ctx context.Context, from SortSource[T], n *plan.Sort, all []gathered[T],
	at plan.Gathered) error {
	may, whole := n.WalkFor(float64(len(all)), at.Bound-x.budget.left, at.Bound)
	w := executor[T]{from: x.from, want: x.want, in: x.in, budget: &budget{left: may, readers: 1}}
	if all != nil {
		w.among, w.free = make(map[string]bool, len(all)), at.Checked()
		for _, c := range all {
			w.among[c.At.CommentID] = true
		}
	}
	err := w.pull(ctx, n.Walk)
	x.out = w.out
	x.cost.Add(w.cost)
	x.budget.spend(w.cost.Units)
	if all != nil && whole && errors.Is(err, ErrBound) {
		return x.whole(ctx, from, all, false)
	}
	return err
}

// whole reads items whole. It adds the items that pass and lie in the range to the page, in the
// order of the list. If their order is known, it stops when the page is full.
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

// first returns the first items: a full page and one more.
func (x *executor[T]) first(of []gathered[T]) []Item[T] {
	items := make([]Item[T], min(len(of), x.want))
	for i := range items {
		items[i] = of[i].Item
	}
	return items
}

// sorted returns the items in the range that may pass, given their known values, in reading
// order.
func (x *executor[T]) sorted(from SortSource[T], all []gathered[T], known Extent) []gathered[T] {
	in := x.in
	inOrder := func(a, b key.Position) int {
		if n := cmp.Compare(a.Range, b.Range); n != 0 {
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
		if from.Match(&c.Item, c.read, known) && (in.After == nil || inOrder(*in.After, c.At) < 0) &&
			(in.Until == nil || inOrder(c.At, *in.Until) < 0) {
			inside = append(inside, c)
		}
	}
	slices.SortFunc(inside, func(a, b gathered[T]) int { return inOrder(a.At, b.At) })
	return inside
}
