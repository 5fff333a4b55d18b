package model

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"product-comments/store/key"
	"product-comments/store/orders"
)

// Order is an order, with its lines or, from a list, without.
type Order struct{ of orders.Order }

// NewOrder returns an order.
func NewOrder(o orders.Order) Order { return Order{o} }

// IsNode marks a type of the interface Node.
func (Order) IsNode() {}

// ID returns the global id.
func (o Order) ID() string { return GlobalID(TypeOrder, o.of.ID) }

// GetID is what the generated interface asks for.
func (o Order) GetID() string { return o.ID() }

// OrderID returns the shop's own id.
func (o Order) OrderID() string { return o.of.ID }

// User returns who ordered.
func (o Order) User() User { return User{Username: o.of.Username} }

// Status returns how far the order is.
func (o Order) Status() OrderStatus { return OrderStatus{o.of.Status} }

// PlacedAt returns when the order was placed.
func (o Order) PlacedAt() time.Time { return o.of.Times.Of(orders.Placed) }

// ShippedAt returns when the order was shipped, nil if that is not known.
func (o Order) ShippedAt() *time.Time { return o.at(orders.Shipped) }

// DeliveredAt returns when the order was delivered, nil if that is not known.
func (o Order) DeliveredAt() *time.Time { return o.at(orders.Delivered) }

func (o Order) at(s orders.Status) *time.Time {
	at := o.of.Times.Of(s)
	if at.IsZero() {
		return nil
	}
	return &at
}

// KnownLines returns the lines, nil for an order from a list.
func (o Order) KnownLines() []orders.Line { return o.of.Lines }

// Ref names the order, for who reads its lines.
func (o Order) Ref() orders.Ref { return o.of.Ref() }

// NewOrderLines returns lines of an order.
func NewOrderLines(lines []orders.Line) []OrderLine {
	out := make([]OrderLine, len(lines))
	for i, l := range lines {
		out[i] = OrderLine{Product: Product{ProductID: l.ProductID}, Quantity: l.Quantity}
		if l.Price != nil {
			out[i].UnitPrice = &Money{Amount: l.Price.Amount, Currency: l.Price.Currency}
		}
	}
	return out
}

// OrderStatus is how far an order is, as the schema spells it.
type OrderStatus struct{ of orders.Status }

// Status returns the status as the store has it.
func (s OrderStatus) Status() orders.Status { return s.of }

// MarshalGQL is part of graphql.Marshaler.
func (s OrderStatus) MarshalGQL(w io.Writer) {
	_, _ = io.WriteString(w, strconv.Quote(s.of.String())) // the executor's buffer cannot fail
}

// UnmarshalGQL is part of graphql.Unmarshaler.
func (s *OrderStatus) UnmarshalGQL(v any) (err error) {
	name, _ := v.(string)
	if s.of, err = orders.ParseStatus("", name); err != nil {
		return fmt.Errorf("%v is not an OrderStatus", v)
	}
	return nil
}

// OrderEdge is an order's place in a list.
type OrderEdge struct {
	Edge[Order, key.Position]
}

// OrderConnection is a page of a list of orders.
type OrderConnection struct {
	Connection[Order, OrderEdge]
}

// NewOrderConnection returns the connection of a page of the list that cursorOf belongs to.
func NewOrderConnection(page *orders.Page, cursorOf CursorOf[key.Position]) *OrderConnection {
	return &OrderConnection{NewConnection(page.Page, func(i int) OrderEdge {
		return OrderEdge{NewEdge(Order{page.Items[i]}, page.Place(i), cursorOf)}
	})}
}
