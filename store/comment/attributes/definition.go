package attributes

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"product-comments/store/key/sortable"
)

// Type is the type of an attribute's values, with the names of the API.
type Type string

// The types of attributes.
const (
	Number  Type = "NUMBER"  // as sortable.Number
	Date    Type = "DATE"    // an instant
	Text    Type = "TEXT"    // at most MaxText bytes
	Boolean Type = "BOOLEAN" // true or false
	Choice  Type = "CHOICE"  // one of the definition's choices
)

// Types are all types of attributes.
var Types = []Type{Number, Date, Text, Boolean, Choice}

// Label is a name in a language, for people.
type Label struct {
	Language string `json:"language"` // canonical BCP 47 tag
	Text     string `json:"label"`
}

// Option is one choice of an attribute. Choices sort in the order of the definition.
type Option struct {
	Value  string  `json:"value"` // as stored in comments
	Labels []Label `json:"labels,omitempty"`
}

// Label returns the choice's label in a language, "" for any.
func (o *Option) Label(language string) string { return labelOf(o.Labels, language, o.Value) }

// Scale has the ends of a scale, such as 1 to 5. Values may be outside it.
type Scale struct {
	Minimum float64 `json:"minimum"`
	Maximum float64 `json:"maximum"`
}

// Definition defines the attribute of a key. The interchange format and the table have the same JSON.
type Definition struct {
	Key      string `json:"key"`
	Type     Type   `json:"type"`
	Position int    `json:"position"`        // smaller ones are shown first
	Shown    bool   `json:"shown,omitempty"` // pages carry it
	// Locale is a canonical BCP 47 tag. For a Text it is the language of the sort order, empty
	// for the order of bytes. For a Date it is the language in which days such as 13/03/2026
	// may be written, empty for none.
	Locale string `json:"locale,omitempty"`
	// Address marks a Text whose values are web addresses, such as of photos. Moderation does
	// not treat them as links.
	Address bool     `json:"address,omitempty"`
	Unit    string   `json:"unit,omitempty"`  // of a Number, to show after its values
	Scale   *Scale   `json:"scale,omitempty"` // of a Number, to show with its values; nil for none
	Labels  []Label  `json:"labels,omitempty"`
	Options []Option `json:"choices,omitempty"` // of a Choice

	// Group is the group from which the product inherits the definition, empty for the
	// product's own definitions.
	Group string `json:"-"`

	order  *sortable.Order // of a Text
	days   days            // of a Date
	places map[string]int  // of a Choice: the index of a value in Options
}

// Sorting identifies the order of values: two definitions with the same Sorting sort values
// alike.
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

// Weighed reports whether values sort by the rules of a language, see sortable.Weights.
func (d *Definition) Weighed() bool { return d.Type == Text && d.Locale != "" }

// Label returns the attribute's label in a language, "" for any.
func (d *Definition) Label(language string) string { return labelOf(d.Labels, language, d.Key) }

// labelOf returns the label in a language, else in its base language (en for en-GB), else the
// first label, else otherwise.
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
