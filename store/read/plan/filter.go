package plan

import (
	"strconv"
	"time"

	"product-comments/store/comment/stats"
	"product-comments/store/key"
)

// Filter selects comments of a product, or of the products of a family.
type Filter struct {
	ProductID string        // empty for a family
	Family    Family        // the zero value for a product
	Languages key.Languages // canonical BCP 47 tags, matched exactly; empty is any
	// Regions makes each language also match itself with any script or region.
	// Choose needs a filter without it, see WithLanguages.
	Regions  bool
	Ratings  key.Ratings // a set that is empty or full is any
	WithText bool        // only comments that have a text
	// VerifiedOnly selects comments by buyers of the product.
	VerifiedOnly bool
	WithPhotos   bool // only comments that have photos
	Incentives   Incentives
	Created      key.Times // creation times; not in lists by value
	Attributes   Attributes
	Order        Order // of the list
}

// Family is products whose comments are read together.
type Family struct {
	ID      string
	Members key.Products
}

// Products returns the products whose comments the list has.
func (f Filter) Products() []string {
	if f.Family == (Family{}) {
		return []string{f.ProductID}
	}
	return f.Family.Members.List()
}

// OfProduct returns the filter of one product of the list.
func (f Filter) OfProduct(product string) Filter {
	f.ProductID, f.Family = product, Family{}
	return f
}

// Unfiltered returns the filter that all comments of the same products pass.
func (f Filter) Unfiltered() Filter { return Filter{ProductID: f.ProductID, Family: f.Family} }

// Incentives selects comments by whether their authors got an incentive.
type Incentives uint8

// The values of Incentives. The zero value selects all comments.
const (
	AnyIncentive Incentives = iota
	WithIncentive
	WithoutIncentive
)

// IncentivesOf returns WithIncentive or WithoutIncentive; nil selects all comments.
func IncentivesOf(incentivized *bool) Incentives {
	switch {
	case incentivized == nil:
		return AnyIncentive
	case *incentivized:
		return WithIncentive
	}
	return WithoutIncentive
}

// Which returns the filter's conditions on text, verified purchase, photos and incentive.
func (f Filter) Which() stats.Which {
	return stats.Which(0).With(stats.Text, f.WithText).With(stats.Verified, f.VerifiedOnly).With(stats.Photos, f.WithPhotos).
		With(stats.Incentivized, f.Incentives == WithIncentive).With(stats.NotIncentivized, f.Incentives == WithoutIncentive)
}

// Scope spells the filter so that two filters have the same scope only if they are equal.
// Cursors are bound to it, and a family's to its id alone, so that they stay valid when its
// members change. Ids contain no control characters, so zero bytes separate the parts.
func (f Filter) Scope() string {
	of := f.ProductID
	if f.Family != (Family{}) {
		of = "\x01" + f.Family.ID
	}
	s := of + "\x00" + string(f.Languages) + "\x00" + string('0'+rune(f.Ratings.Canonical()))
	if f.Regions {
		s += "r"
	}
	if f.WithText {
		s += "t"
	}
	if f.VerifiedOnly {
		s += "v"
	}
	if f.WithPhotos {
		s += "p"
	}
	s += [...]string{"", "i", "n"}[f.Incentives]
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
	return f.Family != (Family{}) || len(f.Ratings.List()) > 1 || f.Languages != "" && f.Languages.One() == "" || !f.Which().All() ||
		f.Regions || f.Order.Field != ByTime || f.Attributes != ""
}

// OfAll reports whether planning needs statistics of all comments of the product, in any
// language. Only other lists have page numbers.
func (f Filter) OfAll() bool { return f.Order.ByValue() || f.Attributes != "" }

// WithLanguages returns the filter with Regions replaced by the languages of the product's
// comments.
func (f Filter) WithLanguages(languages key.Languages) Filter {
	f.Languages, f.Regions = languages, false
	return f
}

// Order is the order of a list of comments. The zero value is newest first. Comments that are
// equal in the order follow by time: newest first, or oldest first in ascending orders.
// Comments without the attribute are last in both directions, by time.
type Order struct {
	Field     Field
	Attribute string // of ByAttribute: its key
	Ascending bool
	// Sorting identifies the order of the attribute's values. With another order of its choices
	// the list is a different one.
	Sorting string
}

// Field is a property that orders a list.
type Field uint8

// What comments can be ordered by. ByHelpful is how helpful they were found, see
// ranking.LowerBound.
const (
	ByTime Field = iota
	ByRating
	ByHelpful
	ByAttribute
)

// fields are the names of the fields.
var fields = map[Field]string{ByTime: "time", ByRating: "rating", ByHelpful: "helpful", ByAttribute: "attribute"}

// scope spells the order in a filter's scope. Cursors are bound to it.
func (o Order) scope() string {
	direction := "d"
	if o.Ascending {
		direction = "a"
	}
	scope := strconv.Itoa(int(o.Field)) + direction + o.Attribute
	if o.Sorting != "" {
		scope += "\x00" + o.Sorting
	}
	return scope
}

// String spells the order, such as "by rating, descending".
func (o Order) String() string {
	what := fields[o.Field]
	if o.Field == ByAttribute {
		what += " " + strconv.Quote(o.Attribute)
	}
	if o.Ascending {
		return "by " + what + ", ascending"
	}
	return "by " + what + ", descending"
}

// ByValue reports whether the list is ordered by the values of an attribute index.
func (o Order) ByValue() bool { return o.Field == ByHelpful || o.Field == ByAttribute }

// Index returns the name of the attribute index that the list is ordered by, "" for other lists.
func (o Order) Index() string {
	if o.Field == ByHelpful {
		return key.Helpful
	}
	return o.Attribute
}

// RangeOf returns the range of a comment with a rating in a list by rating; 0 for other lists.
func (o Order) RangeOf(rating int) int {
	switch {
	case o.Field != ByRating:
		return 0
	case o.Ascending:
		return rating - 1
	}
	return 5 - rating
}

// RatingOf returns the rating of the comments in a range of a list by rating.
func (o Order) RatingOf(number int) int {
	if o.Ascending {
		return number + 1
	}
	return 5 - number
}

// RangeOfValue returns the range of comments with a value, or of comments without one, in a
// list by value. Comments without votes sort as zero.
func (o Order) RangeOfValue(has bool) int {
	if has != (o.Field == ByHelpful && o.Ascending) {
		return 0
	}
	return 1
}
