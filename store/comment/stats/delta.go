package stats

import (
	"errors"
	"maps"
	"slices"
)

// Counted has the properties of a comment that statistics count.
type Counted struct {
	ProductID, Language string
	Rating              int
	HasText             bool
	Verified            bool // the author bought the product
	HasPhotos           bool
	Incentivized        bool // the author got an incentive
	Bytes               int  // size of its index entry
	// Generation is the first generation of statistics that counts the comment: 0 unless the
	// comment was written or touched after the beginning of a rebuild.
	Generation int
}

// Deltas are the sums of changes of comments, by scope.
type Deltas map[Scope]*Delta

// Delta is a change of a scope's statistics.
type Delta struct {
	Tally
	Sizes     // the change in bytes; the largest comment that was written or grew
	Languages map[string]int
	Details   map[string]Detail // by language
}

// Add adds another delta.
func (d *Delta) Add(o *Delta) {
	d.Tally, d.Bytes, d.Largest = plus(d.Tally, o.Tally), plus(d.Bytes, o.Bytes), max(d.Largest, o.Largest)
	if d.Languages == nil && len(o.Languages)+len(o.Details) > 0 {
		d.Languages, d.Details = map[string]int{}, map[string]Detail{}
	}
	for language, n := range o.Languages {
		d.Languages[language] += n
	}
	for language, detail := range o.Details {
		d.Details[language] = d.Details[language].plus(detail)
	}
}

// Change adds one change of a comment, as a generation of statistics counts it. before is nil for a
// new comment, after for a deleted one. The sums do not depend on the order of changes.
func (d Deltas) Change(before, after *Counted, generation int) {
	if before != nil && before.Generation < generation {
		before = nil
	}
	if after != nil && after.Generation < generation {
		after = nil
	}
	for _, scope := range before.Scopes() {
		d.delta(scope).add(before, scope, -1)
	}
	for _, scope := range after.Scopes() {
		d.delta(scope).add(after, scope, 1)
		if !before.isIn(scope) || before.Bytes < after.Bytes { // otherwise the old bound is valid
			d[scope].Largest = max(d[scope].Largest, after.Bytes)
		}
	}
}

// Scopes returns the scopes that count the comment, none for nil.
func (c *Counted) Scopes() []Scope {
	if c == nil {
		return nil
	}
	return []Scope{{c.ProductID, ""}, {c.ProductID, c.Language}}
}

func (c *Counted) isIn(s Scope) bool {
	return c != nil && c.ProductID == s.ProductID && (s.Language == "" || c.Language == s.Language)
}

func (d Deltas) delta(s Scope) *Delta {
	if d[s] == nil {
		d[s] = &Delta{}
	}
	return d[s]
}

func (d *Delta) add(c *Counted, in Scope, sign int) {
	d.Tally[c.Rating-1] += sign
	d.Bytes[c.Rating-1] += sign * c.Bytes
	if in.Language != "" {
		return
	}
	if d.Languages == nil {
		d.Languages, d.Details = map[string]int{}, map[string]Detail{}
	}
	d.Languages[c.Language] += sign
	var one Detail
	one.Kinds[c.Kind()], one.Bytes[c.Rating-1] = sign, sign*c.Bytes
	d.Details[c.Language] = d.Details[c.Language].plus(one)
}

// IsZero reports whether the delta changes nothing. It removes the languages without a change.
func (d *Delta) IsZero() bool {
	maps.DeleteFunc(d.Languages, func(_ string, n int) bool { return n == 0 })
	maps.DeleteFunc(d.Details, func(_ string, detail Detail) bool { return detail == (Detail{}) })
	return d.Tally == (Tally{}) && d.Sizes == (Sizes{}) && len(d.Languages) == 0 && len(d.Details) == 0
}

// SameKind reports whether all counts, but not sizes, count two comments alike; nil is no comment.
func (c *Counted) SameKind(o *Counted) bool {
	if c == nil || o == nil {
		return c == o
	}
	return c.ProductID == o.ProductID && c.Language == o.Language && c.Kind() == o.Kind()
}

// ErrNegative is the error for the removal of a comment that was never counted: the statistics
// do not match the comments and must be rebuilt.
var ErrNegative = errors.New("a count fell below zero")

// After returns the statistics after a change. It does not modify s.
func (s Measured) After(d *Delta) (Measured, error) {
	out := Measured{Statistics{Tally: plus(s.Tally, d.Tally)}, Sizes{plus(s.Bytes, d.Bytes), max(s.Largest, d.Largest)}}
	if err := out.Statistics.addLanguages(s.Statistics, d.Languages); err != nil {
		return out, err
	}
	if negative(out.Tally[:]) {
		return out, ErrNegative
	}
	return out, out.addDetails(s.Statistics, d.Details)
}

// addDetails sets the details to the sums of the details before and of a delta, for the listed
// languages.
func (s *Statistics) addDetails(before Statistics, delta map[string]Detail) error {
	if len(before.Details)+len(delta) == 0 {
		return nil
	}
	s.Details = make(map[string]Detail, len(s.Languages))
	for language := range s.Languages {
		d := before.Details[language].plus(delta[language])
		if negative(d.Kinds[:]) {
			return ErrNegative
		}
		s.Details[language] = d
	}
	return nil
}

// With returns the statistics after a change that may be ahead of others: it may remove comments
// that are not counted yet, and no count falls below zero.
func (s Measured) With(d *Delta) Measured {
	if d == nil {
		return s
	}
	after, err := s.After(s.least(d))
	if err != nil { // a language is not listed
		return s
	}
	return after
}

// least returns the change, limited to the removal of counted comments.
func (s Measured) least(d *Delta) *Delta {
	out := &Delta{Tally: atMostTaking(d.Tally, s.Tally), Languages: make(map[string]int, len(d.Languages))}
	if d.Details == nil {
		for language, n := range d.Languages {
			out.Languages[language] = max(n, -s.Languages[language])
		}
		return out
	}
	out.Tally, out.Details = Tally{}, make(map[string]Detail, len(d.Details))
	for language, detail := range d.Details {
		some := Detail{Kinds: atMostTaking(detail.Kinds, s.Details[language].Kinds)}
		out.Details[language], out.Languages[language] = some, some.Total()
		out.Tally = plus(out.Tally, some.Of(0, 0))
	}
	return out
}

// addLanguages sets the languages to the sums of the languages before and of a delta. At most
// MaxListed languages are listed; comments in further languages are counted in OtherLanguages.
// While that is above zero, no new language is listed, so the listed counts are exact.
func (s *Statistics) addLanguages(before Statistics, delta map[string]int) error {
	s.OtherLanguages = before.OtherLanguages
	if len(before.Languages)+len(delta) == 0 {
		return nil
	}
	s.Languages = make(map[string]int, len(before.Languages)+len(delta))
	maps.Copy(s.Languages, before.Languages)
	for _, language := range slices.Sorted(maps.Keys(delta)) {
		n, listed := s.Languages[language]
		if !listed && (s.OtherLanguages > 0 || len(s.Languages) >= MaxListed) {
			s.OtherLanguages += delta[language]
			continue
		}
		switch n += delta[language]; {
		case n == 0:
			delete(s.Languages, language)
		case n < 0:
			return ErrNegative
		default:
			s.Languages[language] = n
		}
	}
	if s.OtherLanguages < 0 {
		return ErrNegative
	}
	return nil
}
