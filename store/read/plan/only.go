package plan

import (
	"strings"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// Only is the filter of a scan. The zero value passes everything.
type Only struct {
	Languages key.Languages
	Ratings   key.Ratings
	stats.Which
	// Attributes is true if the scan also checks the conditions of the plan.
	Attributes bool
	// Checked is true if whole comments are read, since no index carries all attributes of the
	// conditions.
	Checked bool
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
		parts = append(parts, "with the wanted attributes")
	}
	if o.Checked {
		parts = append(parts, "checked in whole comments")
	}
	return strings.Join(parts, ", ")
}
