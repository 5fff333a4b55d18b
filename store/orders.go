package store

import (
	"context"
	"time"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// RecordOrder takes in an order, or what is news of one that is there; see
// orders.Record. It returns Problems for an order that is not valid.
func (s *Store) RecordOrder(ctx context.Context, o orders.Order) (orders.Order, orders.Outcome, error) {
	if err := o.Validate(); err != nil {
		return orders.Order{}, 0, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	return s.orders.Record(ctx, o)
}

// SetOrderStatus takes in that an order came to a status at a time; see
// orders.SetStatus. It returns BadUserInput for an id that no order has, and for a time
// that cannot be.
func (s *Store) SetOrderStatus(ctx context.Context, id string, to orders.Status, at time.Time) (orders.Order, error) {
	if err := errs.Join(orders.ValidateID("orderId", id), item.ValidateTime("at", at)); err != nil {
		return orders.Order{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	o, _, err := s.orders.SetStatus(ctx, id, to, at)
	return o, err
}

// Order reads an order with its lines; see orders.Get.
func (s *Store) Order(ctx context.Context, id string) (orders.Order, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.orders.Get(ctx, id)
}

// OrderLines reads the lines of orders, in their order; see orders.Lines.
func (s *Store) OrderLines(ctx context.Context, ids []string) ([][]orders.Line, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.orders.Lines(ctx, ids)
}

// OrdersOf reads a window of somebody's orders; see orders.Of.
func (s *Store) OrdersOf(ctx context.Context, f orders.Filter, w orders.Window) (orders.Page, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.orders.Of(ctx, f, w)
}

// OpenOrders reads a window of all open orders; see orders.Open.
func (s *Store) OpenOrders(ctx context.Context, w orders.Window) (orders.Page, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.orders.Open(ctx, w)
}

// User reads who somebody is; see orders.User.
func (s *Store) User(ctx context.Context, username string) (orders.User, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	return s.orders.User(ctx, username)
}
