package plan

import (
	"time"

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
	Created      key.Times // when they were written; not in lists by column
	Attributes   Attributes
	Order        Order // of the list
}

// Which says which comments the filter wants of those with its languages and ratings.
func (f Filter) Which() stats.Which {
	return stats.Which(0).With(stats.Text, f.WithText).With(stats.Verified, f.VerifiedOnly)
}

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
	if !f.Created.Any() {
		s += "\x00c" + spellTime(f.Created.From) + "/" + spellTime(f.Created.Before)
	}
	if f.Order != (Order{}) || f.Attributes != "" {
		s += "\x00" + f.Order.scope()
	}
	if f.Attributes != "" {
		s += "\x00" + string(f.Attributes)
	}
	return s
}

// spellTime spells an end of a range of times.
func spellTime(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339Nano)
}

// NeedsKnown reports whether what is known of the product can change how the filter is
// answered: otherwise it is one query of what passes.
func (f Filter) NeedsKnown() bool {
	return len(f.Ratings.List()) > 1 || f.Languages != "" && f.Languages.One() == "" || !f.Which().All() || f.Regions || f.Order.Field != ByTime || f.Attributes != ""
}

// OfAll reports whether planning needs to know of all comments of the product, also of
// those in other languages.
func (f Filter) OfAll() bool { return f.Order.ByColumn() || f.Attributes != "" }

// WithLanguages returns the filter with the languages that it means for a product whose
// comments have certain regions.
func (f Filter) WithLanguages(languages key.Languages) Filter {
	f.Languages, f.Regions = languages, false
	return f
}
