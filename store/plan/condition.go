package plan

import (
	"encoding/json"
	"slices"
	"strings"
)

// AttributeFilter is what is wanted of the values of an attribute, spelled: a range,
// both ends included, or one of some values. Null ends are open.
type AttributeFilter struct {
	Key    string   `json:"k"`
	Min    *string  `json:"n,omitempty"`
	Max    *string  `json:"x,omitempty"`
	Equals []string `json:"e,omitempty"`
}

// Attributes are the attribute filters of a Filter, all of which must hold, spelled so
// that equal ones are equal values. The zero value filters nothing.
type Attributes string

// AttributesOf returns the set of some filters.
func AttributesOf(filters ...AttributeFilter) Attributes {
	if len(filters) == 0 {
		return ""
	}
	spelled := make([]string, len(filters))
	for i, f := range filters {
		f.Equals = slices.Compact(slices.Sorted(slices.Values(f.Equals)))
		b, err := json.Marshal(f)
		if err != nil { // strings can always be spelled
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
		_ = json.Unmarshal([]byte(a), &list) // AttributesOf spelled it
	}
	return list
}

// Condition is an attribute filter as it is carried out: what is wanted of the bytes
// that sort an attribute's values. See package sortable.
type Condition struct {
	Attribute string
	Shown     bool     // indexes and columns carry the attribute's values
	Min, Max  []byte   // both included, nil for an open end
	Equals    [][]byte // one of these, in their order and each once; nil for a range
	// Texts are the wanted values as they are spelled, if one of Equals is a text that was
	// cut, which other texts share; else nil.
	Texts []string
	// Count is how many of the product's comments should have such a value, negative if
	// nothing is known of it.
	Count float64
	Guess bool // Count is a guess: there may be more
}

// Wants reports whether a value is wanted, given its bytes and how it is spelled.
func (c *Condition) Wants(value []byte, spelled string) bool {
	return c.Holds(value) && (c.Texts == nil || slices.Contains(c.Texts, spelled))
}

// Holds reports whether a value is wanted as far as its bytes say: of texts that were cut
// Texts decides.
func (c *Condition) Holds(value []byte) bool {
	if c.Equals != nil {
		return slices.ContainsFunc(c.Equals, func(e []byte) bool { return string(e) == string(value) })
	}
	return (c.Min == nil || string(value) >= string(c.Min)) && (c.Max == nil || string(value) <= string(c.Max))
}

// Range returns the least range of values that holds all that are wanted, and whether
// it holds others, too.
func (c *Condition) Range() (from, to []byte, others bool) {
	if c.Equals == nil {
		return c.Min, c.Max, false
	}
	return c.Equals[0], c.Equals[len(c.Equals)-1], len(c.Equals) > 1
}

// Where nothing is known of a condition, so many of the comments that may hold it are
// taken to do so.
const (
	equalShare = 0.1
	rangeShare = 0.33
)

// count is how many of some comments should pass.
func (c *Condition) count(all float64) float64 {
	switch {
	case c.Count >= 0:
		return min(c.Count, all)
	case c.Equals != nil:
		return all * min(1, equalShare*float64(len(c.Equals)))
	}
	return all * rangeShare
}
