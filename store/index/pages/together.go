package pages

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// Together returns the tree of the comments of several products, of which there is at least one.
// Each question reads the products in parallel.
func Together(of ...*Numbers) Tree {
	if len(of) == 1 {
		return of[0]
	}
	return together(of)
}

// together is the tree of several products.
type together []*Numbers

// Ask implements Tree. Each product has a moment of its own, which stays the same for a question.
func (t together) Ask(ctx context.Context, question func(Moment) error) error {
	return t[0].p.consistently(ctx, func(bool) error {
		err := question(&moments{t, make([]Moment, len(t))})
		if errors.Is(err, errOther) {
			return errChanged
		}
		return err
	})
}

// errOther says that a product got another moment during a question. It is not errChanged, for which
// Numbers.Ask would ask that product again alone.
var errOther = errors.New("the page numbers of a product have changed")

// moments are the moments of several products. It implements Moment.
type moments struct {
	of   together
	seen []Moment // nil before the first use
}

// each asks the moments of all products in parallel.
func (m *moments) each(ctx context.Context, ask func(i int, of Moment) error) error {
	asking, ctx := errgroup.WithContext(ctx)
	for i := range m.of {
		asking.Go(func() error { return m.one(ctx, i, func(of Moment) error { return ask(i, of) }) })
	}
	return asking.Wait()
}

// one asks the moment of one product.
func (m *moments) one(ctx context.Context, i int, ask func(Moment) error) error {
	return m.of[i].Ask(ctx, func(of Moment) error {
		if m.seen[i] != nil && m.seen[i] != of {
			return errOther
		}
		m.seen[i] = of
		return ask(of)
	})
}

// Total implements Moment.
func (m *moments) Total(ctx context.Context, w Which) (stats.Tally, error) {
	all, err := m.tallies(ctx, func(of Moment) (stats.Tally, error) { return of.Total(ctx, w) })
	return sumOf(all), err
}

// Before implements Moment.
func (m *moments) Before(ctx context.Context, at key.Position, w Which) (stats.Tally, error) {
	all, err := m.tallies(ctx, func(of Moment) (stats.Tally, error) { return of.Before(ctx, at, w) })
	return sumOf(all), err
}

// tallies asks all products for a tally.
func (m *moments) tallies(ctx context.Context, ask func(Moment) (stats.Tally, error)) ([]stats.Tally, error) {
	all := make([]stats.Tally, len(m.of))
	return all, m.each(ctx, func(i int, of Moment) (err error) {
		all[i], err = ask(of)
		return err
	})
}

func sumOf(all []stats.Tally) (sum stats.Tally) {
	for _, t := range all {
		sum = sum.Plus(t)
	}
	return sum
}

// Counts implements Moment.
func (m *moments) Counts(ctx context.Context, times key.Times) (stats.ByLanguage, error) {
	all, sum := make([]stats.ByLanguage, len(m.of)), stats.ByLanguage{}
	err := m.each(ctx, func(i int, of Moment) (err error) {
		all[i], err = of.Counts(ctx, times)
		return err
	})
	for _, c := range all {
		sum.AddAll(c)
	}
	return sum, err
}

// At implements Moment. It bisects: each step takes a comment of the product with the most
// candidates, and counts the older comments of all products.
func (m *moments) At(ctx context.Context, w Which, others int, backward bool) (at key.Position, ok bool, err error) {
	counts, err := m.tallies(ctx, func(of Moment) (stats.Tally, error) { return of.Total(ctx, w) })
	if err != nil {
		return at, false, err
	}
	// The candidates of a product are its comments with low to high-1 older ones.
	low, high, total := make([]int, len(m.of)), make([]int, len(m.of)), sumOf(counts).Total()
	for i, t := range counts {
		high[i] = t.Total()
	}
	if backward {
		others = total - 1 - others
	}
	for step := 0; others >= 0 && others < total; step++ {
		most, candidates, skipped := 0, 0, 0
		for i := range high {
			candidates, skipped = candidates+high[i]-low[i], skipped+low[i]
			if high[i]-low[i] > high[most]-low[most] {
				most = i
			}
		}
		if candidates <= 0 { // the overlay on a leaf may differ from the overlay on its parents
			return at, false, nil
		}
		middle := (low[most] + high[most]) / 2
		if step%2 == 0 { // where it is if all products got their comments at the same times
			middle = low[most] + min(max(0, others-skipped)*(high[most]-low[most])/candidates, high[most]-low[most]-1)
		}
		if err = m.one(ctx, most, func(of Moment) (err error) {
			at, ok, err = of.At(ctx, w, middle, false)
			return err
		}); err != nil {
			return at, false, err
		}
		if !ok {
			high[most] = middle
			continue
		}
		older, err := m.tallies(ctx, func(of Moment) (stats.Tally, error) { return of.Before(ctx, at, w) })
		if err != nil {
			return at, false, err
		}
		before := sumOf(older).Total()
		if before == others {
			return at, true, nil
		}
		for i, t := range older {
			switch n := t.Total(); {
			case before > others:
				high[i] = max(low[i], min(high[i], n))
			default:
				low[i] = min(high[i], max(low[i], n))
			}
		}
		if before > others {
			high[most] = min(high[most], middle)
		} else {
			low[most] = max(low[most], middle+1)
		}
	}
	return at, false, nil
}

// Timeline returns the days with comments of several products; see Numbers.Timeline.
func Timeline(ctx context.Context, of []*Numbers, language string, from, until time.Time) (all []Day, err error) {
	days, reads := make([][]Day, len(of)), new(errgroup.Group)
	for i, n := range of {
		reads.Go(func() (err error) {
			days[i], err = n.Timeline(ctx, language, from, until)
			return err
		})
	}
	if err := reads.Wait(); err != nil || len(of) == 1 {
		return days[0], err
	}
	sums := map[time.Time]stats.Tally{}
	for _, d := range slices.Concat(days...) {
		sums[d.Date] = sums[d.Date].Plus(d.Tally)
	}
	for _, date := range slices.SortedFunc(maps.Keys(sums), time.Time.Compare) {
		all = append(all, Day{date, sums[date]})
	}
	return all, nil
}
