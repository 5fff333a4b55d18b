package attributes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"product-comments/store/sortable"
)

// Type is what values of an attribute are. Its values are those of the API.
type Type string

// The types of attributes.
const (
	Number  Type = "NUMBER"  // as sortable.Number
	Date    Type = "DATE"    // an instant
	Text    Type = "TEXT"    // at most MaxText bytes
	Boolean Type = "BOOLEAN" // true or false
	Choice  Type = "CHOICE"  // one of the definition's choices
)

// Types are all of them.
var Types = []Type{Number, Date, Text, Boolean, Choice}

// Label is a name that people read, in a language.
type Label struct {
	Language string `json:"l"` // canonical BCP 47 tag
	Text     string `json:"t"`
}

// Option is one of the choices of an attribute. Its place among them is its order.
type Option struct {
	Value  string  `json:"v"` // as comments have it
	Labels []Label `json:"l,omitempty"`
}

// Label returns what a choice is called in a language, "" being any.
func (o *Option) Label(language string) string { return labelOf(o.Labels, language, o.Value) }

// Definition says what the values of a key are.
type Definition struct {
	Key      string   `json:"k"`
	Labels   []Label  `json:"l,omitempty"`
	Type     Type     `json:"t"`
	Options  []Option `json:"c,omitempty"` // of a Choice
	Position int      `json:"p,omitempty"` // smaller ones are shown first
	Shown    bool     `json:"s,omitempty"` // pages carry it
	// Locale is a canonical BCP 47 tag: the language by which texts sort, empty for the
	// order of their bytes; and that in which dates may be written as days such as
	// 13/03/2026, empty for none.
	Locale string `json:"o,omitempty"`
	// Address is true for a Text whose values are web addresses, such as of photos: one
	// is no link that moderators would look at.
	Address bool `json:"a,omitempty"`

	// Group is the group of products that an effective definition comes from,
	// empty for one of the product's own.
	Group string `json:"-"`

	order  *sortable.Order // of a Text
	days   days            // of a Date
	places map[string]int  // of a Choice: the place of a value among the options
}

// Sorting names what the order of values follows from: two definitions with the same
// one sort values alike.
func (d *Definition) Sorting() string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%s %s", d.Type, d.Locale)
	if d.Weighed() {
		fmt.Fprintf(sum, " %s", sortable.Weights())
	}
	for i := range d.Options {
		fmt.Fprintf(sum, " %q", d.Options[i].Value)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// Weighed reports whether values are sorted as texts of a language are, see
// sortable.Weights.
func (d *Definition) Weighed() bool { return d.Type == Text && d.Locale != "" }

// Label returns what the attribute is called in a language, "" being any.
func (d *Definition) Label(language string) string { return labelOf(d.Labels, language, d.Key) }

// labelOf returns the label in a language, or in the one that it is a kind of (en for
// en-GB), else the first one, else what there is without labels.
func labelOf(labels []Label, language, otherwise string) string {
	for tag := language; tag != ""; {
		for _, l := range labels {
			if l.Language == tag {
				return l.Text
			}
		}
		tag = tag[:max(0, strings.LastIndexByte(tag, '-'))]
	}
	if len(labels) > 0 {
		return labels[0].Text
	}
	return otherwise
}
