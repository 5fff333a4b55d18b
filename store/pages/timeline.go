package pages

import (
	"context"
	"maps"
	"slices"
	"time"

	"product-comments/store/key"
	"product-comments/store/stats"
	"product-comments/store/table"
	"product-comments/store/tree"
)

// Day is how many comments there are of a day, which is one in UTC.
type Day struct {
	Date time.Time
	stats.Tally
}

// Timeline returns the days with comments of a product in a language, or in any if it is
// empty, in order: those of which a part is between two times; a zero one is no border. It
// returns an Unavailable error if the store does not answer, or the product has no page
// numbers at present.
func (p *Pages) Timeline(ctx context.Context, product, language string, from, until time.Time) (all []Day, err error) {
	err = p.settled(ctx, func(again bool) (err error) {
		all, err = p.timeline(ctx, product, language, from, until, again)
		return err
	})
	return all, err
}

func (p *Pages) timeline(ctx context.Context, product, language string, from, until time.Time, strong bool) ([]Day, error) {
	of, err := p.statistics.PagesOf(ctx, product, strong)
	if err != nil {
		return nil, err
	}
	if !of.State.Kept {
		return nil, errAbsent()
	}
	if of.State.Height == 0 {
		n := &Numbers{p: p, product: product, of: of}
		days := map[time.Time]stats.Tally{}
		for _, r := range n.branch(node{Node: tree.Node{Rows: of.State.Rows}, names: of.Names}, "").rows {
			one := tree.Month{}
			one.Add(r, 1)
			addDays(days, tree.MonthOf(r.At.CreatedAt), one, language)
		}
		return between(days, from, until), nil
	}
	months, err := p.months(ctx, product, of.Generation, from, until, strong)
	if err != nil {
		return nil, err
	}
	for _, m := range p.unprojected(of, of.Names) { // of months without an item
		for _, r := range []*tree.Row{m.before, m.after} {
			if r != nil {
				if at := tree.MonthOf(r.At.CreatedAt); months[at].Month == nil {
					months[at] = month{Month: tree.Month{}, at: at, names: of.Names}
				}
			}
		}
	}
	days := map[time.Time]stats.Tally{}
	for at, m := range months {
		for _, move := range p.unprojected(of, m.names) {
			if move.before != nil && tree.MonthOf(move.before.At.CreatedAt).Equal(at) {
				m.Add(*move.before, -1)
			}
			if move.after != nil && tree.MonthOf(move.after.At.CreatedAt).Equal(at) {
				m.Add(*move.after, 1)
			}
		}
		addDays(days, at, m.Month, language)
	}
	return between(days, from, until), nil
}

// months reads the months of a product that have a part between two times. It returns
// errChanged if one is of a newer generation.
func (p *Pages) months(ctx context.Context, product string, generation int, from, until time.Time, strong bool) (map[time.Time]month, error) {
	if until.IsZero() {
		until = time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC)
	}
	if from.IsZero() {
		from = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	out := map[time.Time]month{}
	if from.After(until) {
		return out, nil
	}
	q := table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(product)}, Consistent: strong,
		From: key.MonthSK(from), To: key.MonthSK(until),
	}
	for {
		items, last, err := p.t.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			m, err := parseMonth(it, generation)
			if err != nil {
				return nil, err
			}
			if m.generation > generation {
				return nil, errChanged
			}
			if m.Month != nil {
				out[m.at] = m
			}
		}
		if q.After = last; last == nil {
			return out, nil
		}
	}
}

// addDays adds the days of a month in a language, or in any. A count is not below zero: a
// write that overtook others may take away what is not counted yet.
func addDays(days map[time.Time]stats.Tally, month time.Time, m tree.Month, language string) {
	for of, counts := range m {
		if language != "" && of != language {
			continue
		}
		for day, t := range counts {
			at := month.AddDate(0, 0, day-1)
			sum := days[at]
			for i, n := range t {
				sum[i] += max(0, n)
			}
			days[at] = sum
		}
	}
}

// between returns the days with comments of which a part is between two times, in order.
func between(days map[time.Time]stats.Tally, from, until time.Time) (all []Day) {
	for _, at := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		if days[at].Total() > 0 && (from.IsZero() || at.AddDate(0, 0, 1).After(from)) && (until.IsZero() || at.Before(until)) {
			all = append(all, Day{at, days[at]})
		}
	}
	return all
}
