package stats

import (
	"errors"
	"maps"
	"slices"
)

// Counted is what matters of a comment for statistics.
type Counted struct {
	ProductID, Language string
	Rating              int
	Bytes               int // its size in an index
	// Generation is the generation of statistics from which on the comment is
	// counted: 0 unless it was written or touched after a rebuild began.
	Generation int
}

// Deltas are the sums of what changes of comments add to each scope.
type Deltas map[Scope]*Delta

// Delta is what a scope's statistics change by.
type Delta struct {
	Tally
	Sizes     // more or less bytes; the largest comment that was written
	Languages map[string]int
}

// Change adds what one change of a comment means in a generation of
// statistics. Before and after are nil for a comment that did not exist. The
// order of changes does not matter to the sums.
func (d Deltas) Change(before, after *Counted, generation int) {
	d.add(before, -1, generation)
	d.add(after, 1, generation)
}

func (d Deltas) add(c *Counted, sign, generation int) {
	if c == nil || c.Generation < generation {
		return
	}
	for _, language := range []string{"", c.Language} {
		scope := Scope{c.ProductID, language}
		sum := d[scope]
		if sum == nil {
			sum = &Delta{}
			d[scope] = sum
		}
		sum.Tally[c.Rating-1] += sign
		sum.Bytes[c.Rating-1] += sign * c.Bytes
		if sign > 0 {
			sum.Largest = max(sum.Largest, c.Bytes)
		}
		if language == "" {
			if sum.Languages == nil {
				sum.Languages = map[string]int{}
			}
			sum.Languages[c.Language] += sign
		}
	}
}

// Prune drops scopes whose changes cancel each other out.
func (d Deltas) Prune() {
	for scope, delta := range d {
		for language, n := range delta.Languages {
			if n == 0 {
				delete(delta.Languages, language)
			}
		}
		if delta.Tally == (Tally{}) && delta.Bytes == (Tally{}) && len(delta.Languages) == 0 {
			delete(d, scope)
		}
	}
}

// Scopes returns the scopes in a fixed order.
func (d Deltas) Scopes() []Scope {
	return slices.SortedFunc(maps.Keys(d), func(a, b Scope) int {
		return slices.Compare([]string{a.ProductID, a.Language}, []string{b.ProductID, b.Language})
	})
}

// ErrNegative says that a comment was taken away which was never counted: the
// statistics are not those of the comments and must be rebuilt.
var ErrNegative = errors.New("a count fell below zero")

// After returns the statistics after a change, as a value of its own.
func (s Measured) After(d *Delta) (Measured, error) {
	out := Measured{Statistics{Tally: s.Tally.plus(d.Tally)}, Sizes{s.Bytes.plus(d.Bytes), max(s.Largest, d.Largest)}}
	for i, n := range out.Bytes {
		out.Bytes[i] = max(n, 0) // of statistics that are older than sizes
	}
	if len(s.Languages)+len(d.Languages) > 0 {
		out.Languages = map[string]int{}
		maps.Copy(out.Languages, s.Languages)
		for language, n := range d.Languages {
			switch out.Languages[language] += n; {
			case out.Languages[language] == 0:
				delete(out.Languages, language)
			case out.Languages[language] < 0:
				return out, ErrNegative
			}
		}
	}
	if out.negative() {
		return out, ErrNegative
	}
	return out, nil
}
