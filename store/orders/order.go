package orders

import (
	"fmt"
	"slices"
	"time"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
)

// Status is how far an order is. A greater one is further on.
type Status uint8

// The statuses.
const (
	Placed Status = iota + 1
	Paid
	Shipped
	Delivered
	Returned
	Cancelled
)

// statuses is how many there are.
const statuses = int(Cancelled)

var statusNames = [statuses + 1]string{"", "PLACED", "PAID", "SHIPPED", "DELIVERED", "RETURNED", "CANCELLED"}

// TimeNames are how imports and clients name the times of the statuses, by Status minus 1.
var TimeNames = [statuses]string{"placedAt", "paidAt", "shippedAt", "deliveredAt", "returnedAt", "cancelledAt"}

// withShipping are the statuses that an order with a shipping date can have.
var withShipping = []Status{Shipped, Delivered, Returned, Cancelled}

// String returns the status as clients and keys spell it.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return ""
	}
	return statusNames[s]
}

// ParseStatus is the inverse of String. It returns a BadUserInput error about a field
// for anything else.
func ParseStatus(field, s string) (Status, error) {
	if i := slices.Index(statusNames[:], s); i > 0 {
		return Status(i), nil
	}
	return 0, errs.Invalid(field, "%q is not one of %v", item.Printable(s), statusNames[1:]).For(errs.WrongType)
}

// counts reports whether an order of this status makes what is in it a purchase.
func (s Status) counts() bool { return s == Delivered }

// Order is what a person ordered.
type Order struct {
	ID       string
	Username string // the subject of who ordered it
	Status   Status
	Times    Times
	// Lines are what was ordered. Lists of orders leave them out.
	Lines []Line

	lines    int // how many there are
	revision int // of the item; 0 if there is none
}

// Times are when an order came to each status, by Status minus 1, in UTC; zero where
// that is not known. When it was placed is always known.
type Times [statuses]time.Time

// Get returns the time of a status.
func (t *Times) Get(s Status) time.Time { return t[s-1] }

// Line is one product of an order.
type Line struct {
	ProductID string
	Quantity  int
	Price     *Money // of one; nil if it is not known
}

// Money is an amount of a currency.
type Money struct {
	Amount   string // decimal, such as 12.50
	Currency string // ISO 4217, such as EUR
}

// Placed is the order's place in lists by the time when orders were placed.
func (o *Order) Placed() key.Position {
	return key.Position{CreatedAt: o.Times.Get(Placed), CommentID: o.ID}
}

// dated is the order's place in lists by shipping date.
func (o *Order) dated() key.Position {
	at := o.Placed()
	if shipped := o.Times.Get(Shipped); !shipped.IsZero() {
		at.CreatedAt = shipped
	} else {
		at.Value = key.Unshipped
	}
	return at
}

// tell takes a message in: that the order came to a status, at a time if that is not
// zero. It returns whether that changes anything. When it was placed does not change.
func (o *Order) tell(s Status, at time.Time) (changed bool) {
	if s > o.Status {
		o.Status, changed = s, true
	}
	if known := &o.Times[s-1]; s != Placed && !at.IsZero() && (known.IsZero() || at.Before(*known)) {
		*known, changed = at, true
	}
	return changed
}

// products returns the products of the lines, each once.
func (o *Order) products() []string {
	ids := make([]string, len(o.Lines))
	for i := range o.Lines {
		ids[i] = o.Lines[i].ProductID
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// sameLines reports whether two orders have the same lines in the same order.
func sameLines(a, b []Line) bool {
	return slices.EqualFunc(a, b, func(a, b Line) bool {
		same := a.ProductID == b.ProductID && a.Quantity == b.Quantity && (a.Price == nil) == (b.Price == nil)
		return same && (a.Price == nil || *a.Price == *b.Price)
	})
}

// NotFound is the error for an order that is not there.
func NotFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no order %s", item.Printable(id))
}

func (o *Order) String() string { return fmt.Sprintf("order %q of %q, %s", o.ID, o.Username, o.Status) }
