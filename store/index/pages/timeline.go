package pages

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/index/counts"
	"product-comments/store/index/pages/tree"
	"product-comments/store/key"
	"product-comments/store/table"
)

// Day is the number of comments of a day, by rating. Days begin at midnight UTC.
type Day struct {
	Date time.Time
	stats.Tally
}

// Timeline returns the days with comments in a language, in order; an empty language means all
// languages. It returns the days that overlap the range between two times; a zero time is no bound.
// Callers must not change them.
func (n *Numbers) Timeline(ctx context.Context, language string, from, until time.Time) (all []Day, err error) {
	err = n.p.consistently(ctx, func(again bool) error {
		of, err := n.p.statistics.PagesOf(ctx, n.product, again)
		if err != nil {
			return err
		}
		if !of.State.Kept {
			return errAbsent()
		}
		own := n.p.unprojected(of)
		k, keep := timelineKey{n.product, of.Generation, of.State.Mark}, len(own) == 0 && of.State.Mark != 0 &&
			language == "" && from.IsZero() && until.IsZero()
		if keep {
			var known bool
			if all, known = n.p.timelines.Get(k); known {
				return nil
			}
		}
		counted := timeline{language: language, days: map[time.Time]*[lastDay + 1]stats.Tally{}}
		if err := n.count(ctx, of, own, counted, from, until); err != nil {
			return err
		}
		all = counted.between(from, until)
		if keep && totalOf(all) == of.Counted.Total() { // all months are of the statistics' moment
			k.product = strings.Clone(k.product) // which may be a piece of a long document
			n.p.timelines.Set(k, all, n.p.t.Now().Add(timelineAge))
		}
		return nil
	})
	return all, err
}

// timelineKey is the key of a timeline in all languages, which follows from a version of a product's
// tree.
type timelineKey struct {
	product          string
	generation, mark int
}

func totalOf(days []Day) (n int) {
	for _, d := range days {
		n += d.Total()
	}
	return n
}

// The maximum age and the maximum memory of such timelines.
const (
	timelineAge   = 10 * time.Minute
	timelineBytes = 8 << 20
)

// count adds the comments of a product to a timeline.
func (n *Numbers) count(ctx context.Context, of counts.Numbered, own []pendingRow, counted timeline, from, until time.Time) error {
	if of.State.Height == 0 {
		m, all := &moment{own: own, numbers: map[string]int32{}}, branch{rows: of.State.Rows}
		m.count(&all)
		for _, r := range all.rows {
			at := r.At.CreatedAt
			counted.add(tree.MonthOf(at), r.Language, at.Day(), r.Kind.Rating(), 1)
		}
		return nil
	}
	changed := map[time.Time]tree.Month{} // by pending writes
	for _, w := range own {
		addTo(changed, w.before, -1)
		addTo(changed, w.after, 1)
	}
	err := n.months(ctx, of, from, until, func(at time.Time, b []byte) bool {
		if m := changed[at]; m != nil {
			return tree.EachDay(b, m.AddDay)
		}
		return tree.EachDay(b, func(language string, day, rating, n int) { counted.add(at, language, day, rating, n) })
	})
	for at, m := range changed {
		for language, days := range m {
			for day, t := range days {
				for i, n := range t { // a pending write may subtract a comment that is not counted yet
					counted.add(at, language, day, i+1, max(0, n))
				}
			}
		}
	}
	return err
}

// addTo adds n comments like a row to its month; a nil row adds nothing.
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

// months calls each with the months of a product that overlap the range between two times. Reads
// are strongly consistent. It returns errChanged if a month was written after the statistics were
// read. each returns false if it cannot decode the counts of a month.
func (n *Numbers) months(ctx context.Context, of counts.Numbered, from, until time.Time, each func(time.Time, []byte) bool) error {
	if until.IsZero() {
		until = time.Date(9999, 12, 1, 0, 0, 0, 0, time.UTC)
	}
	if from.IsZero() {
		from = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if from.After(until) {
		return nil
	}
	q := table.Query{
		Partition: key.Partition{Index: key.Table, Value: key.Product(of.ProductID)}, Consistent: true,
		From: key.MonthSK(from), To: key.MonthSK(until),
	}
	for it, err := range n.p.t.All(ctx, q) {
		if err != nil {
			return err
		}
		m, err := monthHead(it)
		if err != nil {
			return err
		}
		if m.generation > of.Generation || m.after >= of.Revision {
			return errChanged
		}
		if m.generation < of.Generation { // obsolete
			continue
		}
		b := table.Bytes(it, attrOf)
		if err := n.Read(len(b)); err != nil {
			return err
		}
		if !each(m.at, b) {
			return errCutOff(it)
		}
	}
	return nil
}

const lastDay = 31

// timeline has counts by month and day, of one language or of all languages if language is empty.
type timeline struct {
	language string
	days     map[time.Time]*[lastDay + 1]stats.Tally
}

func (l timeline) add(month time.Time, language string, day, rating, n int) {
	if l.language != "" && l.language != language || day > lastDay {
		return
	}
	if l.days[month] == nil {
		l.days[month] = new([lastDay + 1]stats.Tally)
	}
	l.days[month][day][rating-1] += n
}

// between returns the days with comments that overlap the range between two times, in order.
func (l timeline) between(from, until time.Time) (all []Day) {
	for _, month := range slices.SortedFunc(maps.Keys(l.days), time.Time.Compare) {
		for day, t := range l.days[month] {
			at := month.AddDate(0, 0, day-1)
			if t.Total() > 0 && (from.IsZero() || at.AddDate(0, 0, 1).After(from)) && (until.IsZero() || at.Before(until)) {
				all = append(all, Day{at, t})
			}
		}
	}
	return all
}
