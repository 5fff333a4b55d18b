package webhook

import (
	"time"

	"product-comments/internal/delivery/links"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
)

// Request is an order's review request as events show it.
type Request struct {
	OrderID  string         `json:"orderId"`
	State    requests.State `json:"state,omitzero"` // absent if the request does not exist any more
	Reminder bool           `json:"reminder"`
	DueAt    time.Time      `json:"dueAt,omitzero"`
	SentAt   time.Time      `json:"sentAt,omitzero"`
	Failure  string         `json:"failure,omitzero"`
	// The members that follow are those of a message, which only request.due has, and only while the
	// request needs it.
	ID       string            `json:"messageId,omitzero"`
	Contact  *requests.Contact `json:"contact,omitzero"`
	Products []links.Write     `json:"products,omitzero"`
	OptOut   string            `json:"optOutUrl,omitzero"`
}

// About returns what an event says about a request. q is nil if the request does not exist any more, a
// is nil if it needs no message any more.
func About(e *outbox.Event, q *requests.Request, a *requests.Asking, l *links.Links) (r *Request, err error) {
	r = &Request{OrderID: e.Order, Reminder: e.Reminder}
	if q != nil {
		r.State, r.DueAt, r.SentAt, r.Failure = q.State, q.Due, q.Sent, q.Failure
	}
	if e.Type != outbox.RequestDue || a == nil {
		return r, nil
	}
	r.ID, r.Contact = a.ID, &a.To
	r.Products, r.OptOut, err = l.Of(a)
	return r, err
}
