package orders

import (
	"fmt"
	"regexp"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/table"
)

// The limits of an order.
const (
	MaxID       = 64  // bytes: a cursor must hold it
	MaxUsername = 256 // bytes
	MaxQuantity = 1_000_000
	// MaxLines is the maximum number of lines: the order, its lines, a mark for each line and
	// the profile must fit into one transaction. With a contact, the review request must, too.
	MaxLines            = (table.MaxItems - 2) / 2
	MaxLinesWithContact = (table.MaxItems - 3) / 2
)

// amounts matches the amounts of Money: up to twelve digits, and four after the point.
var amounts = regexp.MustCompile(`^(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?$`)

// currencies matches the form of ISO 4217 codes. The list of codes changes every few years, and
// the shop knows which ones it accepts.
var currencies = regexp.MustCompile(`^[A-Z]{3}$`)

// ValidateID returns an error for an id that is empty, too long, or has control characters.
func ValidateID(field, id string) error { return item.ValidateCommentID(field, id) }

// ValidateUsername returns an error for a name that is empty, too long, or has control
// characters.
func ValidateUsername(field, name string) error {
	return item.ValidateID(field, name, MaxUsername)
}

// Validate checks an order, returns an error for every invalid field, and makes its times UTC. An
// order without a user becomes a guest's: key.Guest.
func (o *Order) Validate() error {
	if o.Username == "" {
		o.Username = key.Guest(o.ID)
	}
	wrong := []error{
		ValidateID("orderId", o.ID),
		o.validateUsername(),
		validateLines(o.Lines, o.maxLines()),
	}
	if o.Contact != nil {
		wrong = append(wrong, o.Contact.Validate("contact"))
	}
	if o.Status < Placed || o.Status > Cancelled {
		wrong = append(wrong, errs.Invalid("status", "it is empty").For(errs.Required))
	}
	for i := range o.Times {
		wrong = append(wrong, o.validateTime(Status(i+1)))
	}
	return errs.Join(wrong...)
}

func (o *Order) validateUsername() error {
	if key.IsGuest(o.Username) && o.Username != key.Guest(o.ID) {
		return errs.Invalid("subject", "it is the guest's of another order: leave it out for a guest").For(errs.Contradiction)
	}
	return ValidateUsername("subject", o.Username)
}

func (o *Order) validateTime(s Status) error {
	at, field := &o.Times[s-1], TimeNames[s-1]
	switch {
	case at.IsZero() && s == Placed:
		return errs.Invalid(field, "it is empty").For(errs.Required)
	case at.IsZero():
		return nil
	case s > o.Status:
		return errs.Invalid(field, "an order with the status %s cannot have a time for %s", o.Status, s).
			For(errs.Contradiction)
	}
	*at = utc(*at)
	return item.ValidateTime(field, *at)
}

// utc returns a time in UTC without its monotonic clock reading.
func utc(at time.Time) time.Time { return at.Round(0).UTC() }

func (o *Order) maxLines() int {
	if o.Contact != nil {
		return MaxLinesWithContact
	}
	return MaxLines
}

func validateLines(lines []Line, most int) error {
	switch n := len(lines); {
	case n == 0:
		return errs.Invalid("lines", "it is empty: give at least one").For(errs.Required)
	case n > most:
		return errs.Invalid("lines", "there are %d, the limit is %d, because an order is written in one transaction",
			n, most).For(errs.TooMany).Past(n, most)
	}
	var wrong []error
	for i := range lines {
		wrong = append(wrong, lines[i].validate(fmt.Sprintf("lines.%d", i)))
	}
	return errs.Join(wrong...)
}

func (l *Line) validate(field string) error {
	wrong := []error{item.ValidateProductID(field+".productId", l.ProductID)}
	if bound := min(max(l.Quantity, 1), MaxQuantity); bound != l.Quantity {
		wrong = append(wrong, errs.Invalid(field+".quantity", "%d is not from 1 to %d", l.Quantity, MaxQuantity).
			For(errs.OutOfRange).Past(l.Quantity, bound))
	}
	if l.Price != nil {
		wrong = append(wrong, l.Price.validate(field+".unitPrice"))
	}
	return errs.Join(wrong...)
}

func (m *Money) validate(field string) error {
	var wrong []error
	if !amounts.MatchString(m.Amount) {
		wrong = append(wrong, errs.Invalid(field+".amount",
			"%q is not a decimal such as 12.50 with at most twelve digits before the point and four after it",
			item.Printable(m.Amount)).For(errs.WrongType))
	}
	if !currencies.MatchString(m.Currency) {
		wrong = append(wrong, errs.Invalid(field+".currency", "%q is not a code of ISO 4217 such as EUR",
			item.Printable(m.Currency)).For(errs.WrongType))
	}
	return errs.Join(wrong...)
}
