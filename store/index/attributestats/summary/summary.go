// Package summary is the arithmetic of attribute statistics: the summary of a value, sums and
// differences, encoding, and queries. It is exact and does no I/O; package attributestats stores
// summaries in items.
package summary

import (
	"maps"
	"slices"
	"strings"

	"product-comments/store/comment/stats"
	"product-comments/store/key/sortable"
)

// MaxValues is the maximum number of different numbers that a summary counts one by one.
const MaxValues = 32

// Summary summarises the values of an attribute in a set of comments, or a change of these values;
// counts of a change may be negative. The zero value summarises no values. A summary has values of
// several types while the type of the attribute changes.
type Summary struct {
	Others  int            // number of texts and dates
	Choices map[string]int // counts by choice; booleans are the choices true and false
	Numbers int            // count of numbers
	Sum     Decimal        // sum of the numbers
	buckets map[bucket]int
	// values has the count of each number by its text; nil if over.
	values map[string]int
	over   bool // there are, or were, more than MaxValues different numbers
}

// Plus returns the sum of two summaries.
func (s Summary) Plus(o Summary) Summary {
	out := Summary{
		Others: s.Others + o.Others, Choices: plus(s.Choices, o.Choices),
		Numbers: s.Numbers + o.Numbers, Sum: s.Sum.Plus(o.Sum), buckets: plus(s.buckets, o.buckets), over: s.over ||
			o.over,
	}
	if !out.over {
		out.values = plus(s.values, o.values)
		out.over = len(out.values) > MaxValues
	}
	if out.over {
		out.values = nil
	}
	return out
}

// plus returns the sum of counts, without zeros.
func plus[K comparable](a, b map[K]int) map[K]int {
	if len(a)+len(b) == 0 {
		return nil
	}
	out := maps.Clone(a)
	if out == nil {
		out = make(map[K]int, len(b))
	}
	for k, n := range b {
		if out[k] += n; out[k] == 0 {
			delete(out, k)
		}
	}
	return out
}

// After returns the summary after a change. It returns stats.ErrNegative if a count would fall
// below zero.
func (s Summary) After(change Summary) (Summary, error) {
	out := s.Plus(change)
	if out.Numbers == 0 { // later numbers are counted one by one again
		out.over = false
	}
	negative := out.Others < 0 || out.Numbers < 0 || out.Numbers == 0 && out.Sum != Decimal{}
	for _, n := range out.Choices {
		negative = negative || n < 0
	}
	for _, n := range out.buckets {
		negative = negative || n < 0
	}
	for _, n := range out.values {
		negative = negative || n < 0
	}
	if negative {
		return out, stats.ErrNegative
	}
	return out, nil
}

// IsZero reports whether a summary has no values, or a change has no effect.
func (s Summary) IsZero() bool {
	return s.Others == 0 && s.Numbers == 0 && s.Sum == Decimal{} && len(s.Choices) == 0 && len(s.buckets) == 0 &&
		len(s.values) == 0
}

// Chosen returns the total number of choices.
func (s Summary) Chosen() (n int) {
	for _, count := range s.Choices {
		n += count
	}
	return n
}

// Average returns the mean of the numbers; ok is false if there are none.
func (s Summary) Average() (average float64, ok bool) {
	if s.Numbers == 0 {
		return 0, false
	}
	return s.Sum.Over(s.Numbers), true
}

// Extremes returns the least and the greatest number; ok is false if there are no numbers, or if
// they are not counted one by one.
func (s Summary) Extremes() (least, greatest float64, ok bool) {
	if s.Numbers == 0 || s.over {
		return 0, 0, false
	}
	rows := s.byValue()
	return rows[0].From, rows[len(rows)-1].To, true
}

// Beyond returns a lower bound of the summary's numbers, or an upper bound if greatest: the outer
// border of the outermost bucket. ok is false if there are no numbers, or the border is out of
// range.
func (s Summary) Beyond(greatest bool) (border sortable.Number, ok bool) {
	if len(s.buckets) == 0 {
		return border, false
	}
	occupied := slices.Sorted(maps.Keys(s.buckets))
	spelled, _ := occupied[0].borders()
	if greatest {
		_, spelled = occupied[len(occupied)-1].borders()
	}
	border, err := sortable.ParseNumber(spelled)
	return border, err == nil
}

// Bucket is the count of the numbers in a range. From and To are equal for a number that is counted
// by itself. Otherwise the range includes the border nearer to 0, and excludes the other one.
type Bucket struct {
	From, To float64
	Count    int
}

// Histogram returns the ranges that have numbers, in order. Each number has a range of its own
// unless there are, or were, more than MaxValues different numbers; then the borders are 1, 2 and 5
// times each power of ten.
func (s Summary) Histogram() []Bucket {
	if !s.over {
		return s.byValue()
	}
	rows := make([]Bucket, 0, len(s.buckets))
	for _, b := range slices.Sorted(maps.Keys(s.buckets)) {
		from, to := b.borders()
		rows = append(rows, Bucket{float(from), float(to), s.buckets[b]})
	}
	return rows
}

func (s Summary) byValue() []Bucket {
	type row struct {
		place string
		Bucket
	}
	rows := make([]row, 0, len(s.values))
	for spelled, n := range s.values {
		number, _ := sortable.ParseNumber(spelled) // formatted by Number.String
		f := number.Float()
		rows = append(rows, row{string(sortable.AppendNumber(nil, number)), Bucket{f, f, n}})
	}
	slices.SortFunc(rows, func(a, b row) int { return strings.Compare(a.place, b.place) })
	out := make([]Bucket, len(rows))
	for i := range rows {
		out[i] = rows[i].Bucket
	}
	return out
}

// Same reports whether two summaries may have the same values. It compares single numbers only if
// both summaries count them.
func (s Summary) Same(o Summary) bool {
	return s.Others == o.Others && s.Numbers == o.Numbers && s.Sum.Equal(o.Sum) && maps.Equal(s.Choices, o.Choices) &&
		maps.Equal(s.buckets, o.buckets) &&
		(s.over || o.over || maps.Equal(s.values, o.values))
}
