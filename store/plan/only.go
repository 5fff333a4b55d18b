package plan

import (
	"slices"
	"strconv"
	"strings"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Only is the filter of a scan: comments that pass all of its Tests. The zero value passes
// everything.
type Only struct {
	Languages key.Languages
	Ratings   key.Ratings
	stats.Which
	// Attributes is true if the scan also checks the conditions whose attributes its index or
	// column carries: see Plan.Conditions.
	Attributes bool
	// Checked is true if whole comments are read, since no index carries all attributes of the
	// conditions.
	Checked bool
}

// Property is a property of a comment for a test.
type Property uint8

// The properties of comments for tests. Verified and HasText are True, or empty.
const (
	Language Property = iota
	Rating
	Verified
	HasText
)

// True is the value of the properties Verified and HasText of comments that have them.
const True = "true"

// Test is one test of an Only: a comment passes if its property has one of the values. The
// filter expression of a query, see package scan, and Passes both follow from it.
type Test struct {
	Property
	OneOf []string
}

// Tests returns the tests that make up the filter.
func (o Only) Tests() (tests []Test) {
	if list := o.Ratings.List(); len(list) > 0 {
		ratings := make([]string, len(list))
		for i, rating := range list {
			ratings[i] = strconv.Itoa(rating)
		}
		tests = append(tests, Test{Rating, ratings})
	}
	if list := o.Languages.List(); len(list) > 0 {
		tests = append(tests, Test{Language, list})
	}
	if o.Has(stats.Verified) {
		tests = append(tests, Test{Verified, []string{True}})
	}
	if o.Has(stats.Text) {
		tests = append(tests, Test{HasText, []string{True}})
	}
	return tests
}

// Passes reports whether a comment passes all tests, given its properties.
func (o Only) Passes(of func(Property) string) bool {
	return !slices.ContainsFunc(o.Tests(), func(t Test) bool { return !slices.Contains(t.OneOf, of(t.Property)) })
}

// Any reports whether all comments pass.
func (o Only) Any() bool { return o.Languages.Any() && o.Ratings.Any() && o.All() && !o.Attributes }

// String lists the conditions, such as "ratings 1,4,5 with a text".
func (o Only) String() string {
	var parts []string
	if !o.Languages.Any() {
		parts = append(parts, "languages "+string(o.Languages))
	}
	if !o.Ratings.Any() {
		parts = append(parts, "ratings "+o.Ratings.String())
	}
	if which := spellWhich(o.Which); which != "" {
		parts = append(parts, which)
	}
	if o.Attributes {
		parts = append(parts, "with such attributes")
	}
	if o.Checked {
		parts = append(parts, "checked in whole comments")
	}
	return strings.Join(parts, ", ")
}

// spellWhich spells a Which, such as "with a text"; "" if it selects all comments.
func spellWhich(w stats.Which) string {
	var parts []string
	if w.Has(stats.Text) {
		parts = append(parts, "with a text")
	}
	if w.Has(stats.Verified) {
		parts = append(parts, "by buyers")
	}
	return strings.Join(parts, ", ")
}
