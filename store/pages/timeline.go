package pages

import (
	"context"
	"maps"
	"slices"
	"time"

	"product-comments/store/key"
	"product-comments/store/statistics"
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
// empty, in order, as far as they overlap the range from one time until another; a zero time
// is no bound. It returns an Unavailable error if the store does not answer, or the product has no page
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
	months := map[time.Time]tree.Month{}
	own := p.unprojected(of)
	if of.State.Height == 0 {
		m := &moment{p: p, of: of, own: own}
		for _, r := range m.branch(&tree.Node{Rows: of.State.Rows}, "").rows {
			addTo(months, &r, 1)
		}
	} else {
		if months, err = p.months(ctx, of, from, until); err != nil {
			return nil, err
		}
		for _, w := range own {
			addTo(months, w.before, -1)
			addTo(months, w.after, 1)
		}
	}
	return daysOf(months, language, from, until), nil
}

// addTo adds a number of comments like a row, if that is one, to its month.
func addTo(months map[time.Time]tree.Month, r *tree.Row, n int) {
	if r == nil {
		return
	}
	at := tree.MonthOf(r.At.CreatedAt)
	if months[at] == nil {
		months[at] = tree.Month{}
	}
	months[at].Add(*r, n)
}

// months reads the months of a product that have a part between two times, strongly
// consistent. It returns errChanged if one was written after the statistics were read.
func (p *Pages) months(ctx context.Context, of statistics.Numbered, from, until time.Time) (map[time.Time]tree.Month, error) {
	if until.IsZero() {
		until = time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC)
	}
	if from.IsZero() {
		from = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	out := map[time.Time]tree.Month{}
	if from.After(until) {
		return out, nil
	}
	q := table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(of.ProductID)}, Consistent: true,
		From: key.MonthSK(from), To: key.MonthSK(until),
	}
	for {
		items, last, err := p.t.Query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			m, err := parseMonth(it, of.Generation)
			switch {
			case err != nil:
				return nil, err
			case m.generation > of.Generation || m.after >= of.Revision:
				return nil, errChanged
			case m.Month != nil:
				out[m.at] = m.Month
			}
		}
		if q.After = last; last == nil {
			return out, nil
		}
	}
}

// daysOf returns the days with comments of which a part is between two times, in order, of a
// language, or of any if it is empty. A count is not below zero: a write that overtook others
// may take away what is not counted yet.
func daysOf(months map[time.Time]tree.Month, language string, from, until time.Time) (all []Day) {
	days := map[time.Time]stats.Tally{}
	for month, languages := range months {
		for of, counts := range languages {
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
	for _, at := range slices.SortedFunc(maps.Keys(days), time.Time.Compare) {
		if days[at].Total() > 0 && (from.IsZero() || at.AddDate(0, 0, 1).After(from)) && (until.IsZero() || at.Before(until)) {
			all = append(all, Day{at, days[at]})
		}
	}
	return all
}
