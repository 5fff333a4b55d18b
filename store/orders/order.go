package orders

import (
	"fmt"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/orders/requests"
)

// Status is the progress of an order. A greater status is later.
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

// statuses is the number of statuses.
const statuses = int(Cancelled)

var statusNames = [statuses + 1]string{"", "PLACED", "PAID", "SHIPPED", "DELIVERED", "RETURNED", "CANCELLED"}

// TimeNames are the names of the times in imports and in the API, by Status minus 1.
var TimeNames = [statuses]string{"placedAt", "paidAt", "shippedAt", "deliveredAt", "returnedAt", "cancelledAt"}

// withShipping are the statuses that an order with a shipping date can have.
var withShipping = []Status{Shipped, Delivered, Returned, Cancelled}

// String returns the status in the spelling of the API and of keys.
func (s Status) String() string {
	if int(s) >= len(statusNames) {
		return ""
	}
	return statusNames[s]
}

// ParseStatus is the inverse of String. It returns a BadUserInput error for any other text.
func ParseStatus(field, s string) (Status, error) {
	if i := slices.Index(statusNames[:], s); i > 0 {
		return Status(i), nil
	}
	return 0, errs.Invalid(field, "%q is not one of %v", item.Printable(s), statusNames[1:]).For(errs.WrongType)
}

// over reports whether the order's buyer is not asked for reviews any more.
func (s Status) over() bool { return s > Delivered }

// counts reports whether the lines of an order with this status count as purchases.
func (s Status) counts() bool { return s == Delivered }

// Order is an order of a user.
type Order struct {
	ID       string
	Username string // the user's subject
	Status   Status
	Times    Times
	// Lines are the ordered products. Lists of orders leave them out.
	Lines []Line
	// Contact is whom to ask for reviews; nil for no one. It is only written: see package requests.
	Contact *requests.Contact

	asks     bool // there is a review request
	lines    int  // the number of lines
	revision int  // of the item; 0 if there is none
}

// Times are the times when an order reached each status, by Status minus 1, in UTC; zero if
// unknown. The time when it was placed is always known.
type Times [statuses]time.Time

// Get returns the time of a status.
func (t *Times) Get(s Status) time.Time { return t[s-1] }

// Line is one product of an order.
type Line struct {
	ProductID string `json:"productId"`
	Quantity  int    `json:"quantity"`
	Price     *Money `json:"unitPrice,omitzero"` // of one unit; nil if unknown
}

// Money is an amount of a currency.
type Money struct {
	Amount   string `json:"amount"`   // decimal, such as 12.50
	Currency string `json:"currency"` // ISO 4217, such as EUR
}

// Placed returns the order's position in lists by the time when orders were placed.
func (o *Order) Placed() key.Position {
	return key.Position{CreatedAt: o.Times.Get(Placed), CommentID: o.ID}
}

// dated returns the order's position in lists by shipping date.
func (o *Order) dated() key.Position {
	at := o.Placed()
	if shipped := o.Times.Get(Shipped); !shipped.IsZero() {
		at.CreatedAt = shipped
	} else {
		at.Value = key.Unshipped
	}
	return at
}

// apply applies a message: the order reached a status, at a time, zero if unknown. It reports
// whether the order changed. The time when it was placed never changes.
func (o *Order) apply(s Status, at time.Time) (changed bool) {
	if s > o.Status {
		o.Status, changed = s, true
	}
	if known := &o.Times[s-1]; s != Placed && !at.IsZero() && (known.IsZero() || at.Before(*known)) {
		*known, changed = at, true
	}
	return changed
}

// Has reports whether the order has a product.
func (o *Order) Has(productID string) bool { return slices.Contains(o.Products(), productID) }

// Products returns the products of the lines, each once.
func (o *Order) Products() []string {
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

// NotFound returns the error for an order that does not exist.
func NotFound(id string) error {
	return errs.Errorf(errs.NotFound, "There is no order %s", item.Printable(id))
}

func (o *Order) String() string { return fmt.Sprintf("order %q of %q, %s", o.ID, o.Username, o.Status) }
