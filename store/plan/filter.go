package plan

import (
	"strings"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Filter says which comments of a product are wanted.
type Filter struct {
	ProductID string
	Languages key.Languages // canonical BCP 47 tags, matched exactly; empty is any
	// Regions lets each of the languages that has no region also stand for itself
	// with any region. Choose wants a filter without it, see In.
	Regions  bool
	Ratings  key.Ratings // a set that is empty or full is any
	WithText bool        // only comments that have a text
	// VerifiedOnly is for those whose authors bought the product.
	VerifiedOnly bool
	Attributes   Attributes
	Order        Order // of the list
}

// Which says which comments the filter wants of those with its languages and ratings.
func (f Filter) Which() stats.Which { return stats.Which{Text: f.WithText, Verified: f.VerifiedOnly} }

// Scope spells the filter so that equal filters, and no others, have equal
// scopes. Cursors are bound to it. Ids hold no control characters, so the
// zero bytes separate.
func (f Filter) Scope() string {
	s := f.ProductID + "\x00" + string(f.Languages) + "\x00" + string('0'+rune(f.Ratings.Canonical()))
	if f.Regions {
		s += "r"
	}
	if f.WithText {
		s += "t"
	}
	if f.VerifiedOnly {
		s += "v"
	}
	if f.Order != (Order{}) || f.Attributes != "" {
		s += "\x00" + f.Order.scope()
	}
	if f.Attributes != "" {
		s += "\x00" + string(f.Attributes)
	}
	return s
}

// NeedsKnown tells whether what is known of the product can change how the filter is
// answered: otherwise it is one query of what passes.
func (f Filter) NeedsKnown() bool {
	return len(f.Ratings.List()) > 1 || f.Languages != "" && f.Languages.One() == "" || !f.Which().All() || f.Regions || f.Order.Field != ByTime || f.Attributes != ""
}

// OfAll tells whether planning needs to know of all comments of the product, also of
// those in other languages.
func (f Filter) OfAll() bool { return f.Order.ByColumn() || f.Attributes != "" }

// In returns the filter with the languages that it comes to for a product whose
// comments have certain regions.
func (f Filter) In(languages key.Languages) Filter {
	f.Languages, f.Regions = languages, false
	return f
}

// Only is what a filter expression lets through. The zero value is everything.
type Only struct {
	Languages key.Languages
	Ratings   key.Ratings
	stats.Which
	// Attributes is true if values of attributes decide, those of which an index
	// carries: see Plan.Checked.
	Attributes bool
	// Checked is true if whole comments are read to be checked, since no index carries all
	// that decides.
	Checked bool
}

// Passes tells whether a comment is let through.
func (o Only) Passes(language string, rating int, text, verified bool) bool {
	return o.Languages.Has(language) && o.Ratings.Has(rating) && o.Which.Passes(text, verified)
}

// Any tells whether everything is let through.
func (o Only) Any() bool { return o.Languages.Any() && o.Ratings.Any() && o.All() && !o.Attributes }

// String lists what is let through, such as "ratings 1,4,5 with a text".
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

// spellWhich says which comments are wanted, such as "with a text"; nothing for all.
func spellWhich(w stats.Which) string {
	var parts []string
	if w.Text {
		parts = append(parts, "with a text")
	}
	if w.Verified {
		parts = append(parts, "by buyers")
	}
	return strings.Join(parts, ", ")
}
