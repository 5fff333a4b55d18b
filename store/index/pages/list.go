package pages

import (
	"context"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
	"product-comments/store/read/plan"
)

// Tree answers questions about the comments of a product in the order of creation. Numbers
// implements it.
type Tree interface {
	// Ask calls question, and calls it again if its reads were inconsistent.
	Ask(ctx context.Context, question func(Moment) error) error
}

// List answers questions about a list of comments. Each answer is consistent.
type List struct {
	filter plan.Filter
	tree   Tree
}

// Of returns the list of a filter, which must not be OfAll and have no Regions.
func Of(f plan.Filter, t Tree) List { return List{f, t} }

// Filter returns the list's filter.
func (l List) Filter() plan.Filter { return l.filter }

// ask calls question with the list at one moment, and returns its answer.
func ask[A any](ctx context.Context, l List, question func(listAt) (A, error)) (answer A, err error) {
	err = l.tree.Ask(ctx, func(m Moment) (err error) {
		answer, err = question(listAt{l, m})
		return err
	})
	return answer, err
}

// listAt is a list at one moment.
type listAt struct {
	List
	m Moment
}

// Counts returns the counts of the product's comments in the filter's times. It ignores the rest of
// the filter.
func (l List) Counts(ctx context.Context) (stats.ByLanguage, error) {
	return ask(ctx, l, func(a listAt) (stats.ByLanguage, error) { return a.m.Counts(ctx, l.filter.Created) })
}

// Count returns the number of comments in the list.
func (l List) Count(ctx context.Context) (int, error) {
	return ask(ctx, l, func(a listAt) (int, error) {
		t, err := a.count(ctx)
		return t.Total(), err
	})
}

// Before returns the number of comments of the list before a position, including a comment at the
// position if through. There need not be a comment at the position.
func (l List) Before(ctx context.Context, at key.Position, through bool) (int, error) {
	return ask(ctx, l, func(a listAt) (int, error) { return a.before(ctx, at, through) })
}

func (l listAt) before(ctx context.Context, at key.Position, through bool) (int, error) {
	descending := !l.filter.Order.Ascending
	probe := at
	switch times := l.filter.Created; {
	case at.CreatedAt.Before(times.From):
		probe = key.Position{CreatedAt: times.From}
	case !times.Has(at.CreatedAt):
		probe = key.Position{CreatedAt: times.Before}
	}
	here, err := l.m.Before(ctx, probe, l.which())
	if err != nil {
		return 0, err
	}
	low, high, err := l.bounds(ctx, descending || l.filter.Order.Field == plan.ByRating)
	if err != nil {
		return 0, err
	}
	n := 0
	for i := range here {
		older := max(here[i]-low[i], 0)
		newer := max(high[i]-max(here[i], low[i]), 0) // includes the comment itself
		inside := older
		if descending {
			inside = newer
		}
		switch number := l.filter.Order.RangeOf(i + 1); {
		case number == at.Range || l.filter.Order.Field != plan.ByRating:
			n += inside
		case number < at.Range:
			n += older + newer
		}
	}
	if through == descending || probe != at {
		return n, nil
	}
	if has, err := l.has(ctx, at, here); err != nil || !has {
		return n, err
	}
	if descending {
		return n - 1, nil
	}
	return n + 1, nil
}

// has reports whether the list has a comment at a position, given the number of older comments
// with each rating.
func (l listAt) has(ctx context.Context, at key.Position, older stats.Tally) (bool, error) {
	of, n := l.which(), older.Total()
	if l.filter.Order.Field == plan.ByRating {
		rating := l.filter.Order.RatingOf(at.Range)
		if !l.filter.Ratings.Has(rating) {
			return false, nil
		}
		of.Ratings, n = only(rating), older[rating-1]
	}
	found, ok, err := l.m.At(ctx, of, n, false)
	return ok && key.Compare(found, at) == 0, err
}

// only returns the set of one rating.
func only(rating int) key.Ratings { return 1 << (rating - 1) }

func (l List) which() Which {
	return Which{Languages: l.filter.Languages, Ratings: l.filter.Ratings, Flags: l.filter.Which()}
}

// At returns the position of the comment at an offset, the number of comments before it in the
// list; ok is false beyond its end.
func (l List) At(ctx context.Context, offset int) (at key.Position, ok bool, err error) {
	at, err = ask(ctx, l, func(a listAt) (at key.Position, err error) {
		at, ok, err = a.at(ctx, offset)
		return at, err
	})
	return at, ok, err
}

func (l listAt) at(ctx context.Context, offset int) (at key.Position, ok bool, err error) {
	of := l.which()
	if l.filter.Order.Field != plan.ByRating {
		return l.inTime(ctx, of, offset)
	}
	counts, err := l.count(ctx)
	if err != nil {
		return at, false, err
	}
	for number := range counts {
		rating := l.filter.Order.RatingOf(number)
		if n := counts[rating-1]; offset >= n {
			offset -= n
			continue
		}
		of.Ratings = only(rating)
		if at, ok, err = l.inTime(ctx, of, offset); ok || err != nil {
			at.Range = number
			return at, ok, err
		}
		offset = 0 // the overlay on a leaf may differ from the overlay on its parents
	}
	return at, false, nil
}

// inTime returns the position of the comment at an offset among the comments of a Which, in the
// order of creation and in the filter's times.
func (l listAt) inTime(ctx context.Context, of Which, offset int) (at key.Position, ok bool, err error) {
	times := l.filter.Created
	end := times.Before // beginning of the list
	if l.filter.Order.Ascending {
		end = times.From
	}
	if end.IsZero() {
		at, ok, err = l.m.At(ctx, of, offset, !l.filter.Order.Ascending)
	} else {
		older, err := l.m.Before(ctx, key.Position{CreatedAt: end}, of)
		if err != nil {
			return at, false, err
		}
		n := older.Total()
		if l.filter.Order.Ascending {
			n += offset
		} else if n -= 1 + offset; n < 0 {
			return at, false, nil
		}
		if at, ok, err = l.m.At(ctx, of, n, false); err != nil {
			return at, false, err
		}
	}
	return at, ok && times.Has(at.CreatedAt), err
}

// bounds returns the numbers of comments that are older than the two ends of the filter's times, by
// rating. They count the comments of the filter without its times. high is only set if wantHigh.
func (l listAt) bounds(ctx context.Context, wantHigh bool) (low, high stats.Tally, err error) {
	times, of := l.filter.Created, l.which()
	if !times.From.IsZero() {
		if low, err = l.m.Before(ctx, key.Position{CreatedAt: times.From}, of); err != nil {
			return low, high, err
		}
	}
	switch {
	case !wantHigh:
	case times.Before.IsZero():
		high, err = l.m.Total(ctx, of)
	default:
		high, err = l.m.Before(ctx, key.Position{CreatedAt: times.Before}, of)
	}
	return low, high, err
}

// count returns the number of comments in the list, by rating.
func (l listAt) count(ctx context.Context) (stats.Tally, error) {
	low, high, err := l.bounds(ctx, true)
	for i := range high {
		high[i] = max(high[i]-low[i], 0)
	}
	return high, err
}
