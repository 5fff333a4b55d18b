package ndjson

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"product-comments/graph/globalid"
	"product-comments/store/errs"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
)

// order is a line of a file of orders.
type order struct {
	OrderID     string        `json:"orderId"`
	Username    string        `json:"subject"`
	Status      string        `json:"status"`
	PlacedAt    time.Time     `json:"placedAt"`
	PaidAt      time.Time     `json:"paidAt,omitzero"`
	ShippedAt   time.Time     `json:"shippedAt,omitzero"`
	DeliveredAt time.Time     `json:"deliveredAt,omitzero"`
	ReturnedAt  time.Time     `json:"returnedAt,omitzero"`
	CancelledAt time.Time     `json:"cancelledAt,omitzero"`
	Lines       []orders.Line `json:"lines"`
	// Contact is only read: contacts are sealed, and leave the table by exports of a person alone.
	Contact *requests.Contact `json:"contact,omitzero"`
}

// times returns the times of the line, by status.
func (l *order) times() []*time.Time {
	return []*time.Time{&l.PlacedAt, &l.PaidAt, &l.ShippedAt, &l.DeliveredAt, &l.ReturnedAt, &l.CancelledAt}
}

// ParseOrder reads a line, with or without its line break, and returns a valid order that shares
// no memory with the line. Every error is a BadUserInput that names the field, unless the line is
// not a JSON object.
func ParseOrder(line []byte) (o orders.Order, err error) {
	var l order
	if err := json.Unmarshal(line, &l, json.RejectUnknownMembers(true)); err != nil {
		return o, unreadable(line, err)
	}
	id, wrongID := globalid.ParseOwn("orderId", l.OrderID, globalid.Order)
	name, wrongName := globalid.ParseOwn("subject", l.Username, globalid.User)
	wrong := errs.Join(wrongID, wrongName)
	o = orders.Order{ID: id, Username: name, Lines: l.Lines, Contact: l.Contact}
	if l.Status != "" { // otherwise Validate reports that it is missing
		if o.Status, err = orders.ParseStatus("status", l.Status); err != nil {
			return o, err
		}
	}
	for i, at := range l.times() {
		o.Times[i] = *at
	}
	for i, of := range l.Lines {
		o.Lines[i].ProductID, err = globalid.ParseOwn(fmt.Sprintf("lines.%d.productId", i), of.ProductID, globalid.Product)
		wrong = errs.Join(wrong, err)
	}
	return o, errs.Join(wrong, o.Validate())
}

// AppendOrder appends the order's line, with its line break, and returns the extended buffer.
// ParseOrder reads the same order back, without its contact.
func AppendOrder(dst []byte, o *orders.Order) ([]byte, error) {
	l := order{OrderID: globalid.Text(globalid.Order, o.ID), Username: globalid.Text(globalid.User, o.Username),
		Status: o.Status.String(), Lines: slices.Clone(o.Lines)}
	for i, at := range l.times() {
		*at = o.Times[i]
	}
	for i := range l.Lines {
		l.Lines[i].ProductID = globalid.Text(globalid.Product, l.Lines[i].ProductID)
	}
	b, err := json.Marshal(&l)
	return append(append(dst, b...), '\n'), err
}
