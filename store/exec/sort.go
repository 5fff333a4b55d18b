package exec

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"product-comments/store/key"
	"product-comments/store/plan"
)

// SortSource is the table, as a plan that sorts sees it.
type SortSource[T any] interface {
	Source[T]
	// Judge reports whether an item passes as far as is known of it, and sets its position in
	// the list.
	Judge(of *Item[T], read ColumnValues, known Extent) bool
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

// ColumnValues are an item's values in those columns in which it was read.
type ColumnValues []struct{ Column, Value string }

// Value returns the value in a column; ok is false if it was not read there.
func (t ColumnValues) Value(column string) (value string, ok bool) {
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
	read ColumnValues
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
	values := make(map[string]ColumnValues, len(column))
	for _, c := range column {
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

// walk reads a list in its order for those items that were gathered, nil for any, at being
// the state of gathering. If it finds too little they are read whole, if the bound pays
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
		if from.Judge(&c.Item, c.read, known) && (in.After == nil || inOrder(*in.After, c.At) < 0) && (in.Until == nil || inOrder(c.At, *in.Until) < 0) {
			inside = append(inside, c)
		}
	}
	slices.SortFunc(inside, func(a, b gathered[T]) int { return inOrder(a.At, b.At) })
	return inside
}
