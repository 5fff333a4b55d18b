package plan

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// AttributeFilter selects values of an attribute in their canonical spelling: an inclusive
// range, or a list of values. A nil end of the range is open.
type AttributeFilter struct {
	Key    string   `json:"k"`
	Min    *string  `json:"n,omitempty"`
	Max    *string  `json:"x,omitempty"`
	Equals []string `json:"e,omitempty"`
}

// Attributes is the set of attribute filters of a Filter in a canonical spelling: equal sets are
// equal values. A comment must pass all of them. The zero value filters nothing.
type Attributes string

// AttributesOf returns the set of the filters.
func AttributesOf(filters ...AttributeFilter) Attributes {
	if len(filters) == 0 {
		return ""
	}
	spelled := make([]string, len(filters))
	for i, f := range filters {
		f.Equals = slices.Compact(slices.Sorted(slices.Values(f.Equals)))
		b, err := json.Marshal(f)
		if err != nil { // strings always marshal
			panic(err)
		}
		spelled[i] = string(b)
	}
	slices.Sort(spelled)
	return Attributes("[" + strings.Join(slices.Compact(spelled), ",") + "]")
}

// List returns the filters.
func (a Attributes) List() (list []AttributeFilter) {
	if a != "" {
		_ = json.Unmarshal([]byte(a), &list) // AttributesOf marshaled it
	}
	return list
}

// Condition is an attribute filter on the sortable bytes of an attribute's values. See package
// sortable.
type Condition struct {
	Attribute string
	Shown     bool     // lists carry the attribute's values
	Min, Max  []byte   // both included, nil for an open end
	Equals    [][]byte // the wanted values, sorted and without duplicates; nil for a range
	// Texts are the wanted values in full if one of Equals is a text that was cut off, so that
	// other texts have the same bytes; else nil.
	Texts []string
	// Count is the estimated number of the product's comments that satisfy the condition,
	// negative if unknown.
	Count float64
	Guess bool // Count is a guess: there may be more
	Exact bool // Count is the exact number, as of a moment ago
}

// Join adds the same condition on the comments of another product. It reports whether both are on the
// same attribute and values.
func (c *Condition) Join(o Condition) bool {
	same := c.Attribute == o.Attribute && bytes.Equal(c.Min, o.Min) && bytes.Equal(c.Max, o.Max) &&
		slices.EqualFunc(c.Equals, o.Equals, bytes.Equal) && slices.Equal(c.Texts, o.Texts)
	if c.Shown, c.Guess, c.Exact = c.Shown && o.Shown, c.Guess || o.Guess, c.Exact && o.Exact; c.Count < 0 || o.Count < 0 {
		c.Count = -1
	} else {
		c.Count += o.Count
	}
	return same
}

// Wants reports whether a value satisfies the condition, given its sortable bytes and its
// spelling.
func (c *Condition) Wants(value []byte, spelled string) bool {
	return c.Holds(value) && (c.Texts == nil || slices.Contains(c.Texts, spelled))
}

// Holds reports whether the sortable bytes of a value satisfy the condition. For texts that were
// cut off, Texts decides.
func (c *Condition) Holds(value []byte) bool {
	if c.Equals != nil {
		return slices.ContainsFunc(c.Equals, func(e []byte) bool { return string(e) == string(value) })
	}
	return (c.Min == nil || string(value) >= string(c.Min)) && (c.Max == nil || string(value) <= string(c.Max))
}

// Range returns the smallest range of values that contains all wanted values, and whether it
// contains others.
func (c *Condition) Range() (from, to []byte, others bool) {
	if c.Equals == nil {
		return c.Min, c.Max, false
	}
	return c.Equals[0], c.Equals[len(c.Equals)-1], len(c.Equals) > 1
}

// The assumed shares of comments that satisfy a condition without statistics.
const (
	equalShare = 0.1
	rangeShare = 0.33
)

// count estimates how many comments of a product with all comments satisfy the condition.
func (c *Condition) count(all float64) float64 {
	switch {
	case c.Count >= 0:
		return min(c.Count, all)
	case c.Equals != nil:
		return all * min(1, equalShare*float64(len(c.Equals)))
	}
	return all * rangeShare
}

// conditionsOn returns the condition on an attribute, nil if there is none, and the others.
func (q *Query) conditionsOn(attribute string) (own *Condition, others []*Condition) {
	for i := range q.Conditions {
		if c := &q.Conditions[i]; c.Attribute == attribute {
			own = c
		} else {
			others = append(others, c)
		}
	}
	return own, others
}
