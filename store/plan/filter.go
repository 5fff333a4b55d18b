package plan

import (
	"time"

	"product-comments/store/key"
	"product-comments/store/stats"
)

// Filter selects comments of a product.
type Filter struct {
	ProductID string
	Languages key.Languages // canonical BCP 47 tags, matched exactly; empty is any
	// Regions makes each language also match itself with any script or region.
	// Choose needs a filter without it, see WithLanguages.
	Regions  bool
	Ratings  key.Ratings // a set that is empty or full is any
	WithText bool        // only comments that have a text
	// VerifiedOnly selects comments whose authors bought the product.
	VerifiedOnly bool
	Created      key.Times // creation times; not in lists by column
	Attributes   Attributes
	Order        Order // of the list
}

// Which returns the filter's conditions on text and verified purchase.
func (f Filter) Which() stats.Which {
	return stats.Which(0).With(stats.Text, f.WithText).With(stats.Verified, f.VerifiedOnly)
}

// Scope spells the filter so that two filters have the same scope only if they are equal.
// Cursors are bound to it. Ids contain no control characters, so zero bytes separate the parts.
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

// NeedsKnown reports whether statistics can change the plan. If not, the plan is one query of
// exactly the passing comments.
func (f Filter) NeedsKnown() bool {
	return len(f.Ratings.List()) > 1 || f.Languages != "" && f.Languages.One() == "" || !f.Which().All() ||
		f.Regions || f.Order.Field != ByTime || f.Attributes != ""
}

// OfAll reports whether planning needs statistics of all comments of the product, in any
// language.
func (f Filter) OfAll() bool { return f.Order.ByColumn() || f.Attributes != "" }

// WithLanguages returns the filter with Regions replaced by the languages of the product's
// comments.
func (f Filter) WithLanguages(languages key.Languages) Filter {
	f.Languages, f.Regions = languages, false
	return f
}
