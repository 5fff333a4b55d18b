package store

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// RecordOrder adds an order, or updates an existing one; see orders.Record. It returns Problems
// for an invalid order.
func (s *Store) RecordOrder(ctx context.Context, o orders.Order) (orders.Order, orders.Outcome, error) {
	if err := o.Validate(); err != nil {
		return orders.Order{}, 0, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	return s.orders.Record(ctx, o)
}

// ImportedOrder is the effect of an import on an order.
type ImportedOrder struct {
	orders.Outcome
	Refused error // BadUserInput or Conflict if the order was not recorded, else nil
}

// ImportOrders records orders as RecordOrder does: different orders concurrently, versions of
// the same order in sequence. Importing the same orders again changes nothing. It returns one
// outcome for each order. After an Unavailable error some orders may have been recorded, and
// the call can be repeated.
func (s *Store) ImportOrders(ctx context.Context, all []orders.Order) ([]ImportedOrder, error) {
	ctx, cancel := context.WithTimeout(table.Patiently(ctx), importPatience)
	defer cancel()
	done, byID := make([]ImportedOrder, len(all)), map[string][]int{}
	for i := range all {
		byID[all[i].ID] = append(byID[all[i].ID], i)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(importWriters)
	for _, versions := range byID {
		group.Go(func() (err error) {
			for _, i := range versions {
				if done[i], err = s.importOrder(ctx, all[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return done, group.Wait()
}

func (s *Store) importOrder(ctx context.Context, o orders.Order) (did ImportedOrder, err error) {
	if did.Refused = o.Validate(); did.Refused != nil {
		return did, nil
	}
	_, did.Outcome, err = s.orders.Record(ctx, o)
	if errs.CodeOf(err) == errs.Conflict {
		did.Refused, err = err, nil
	}
	return did, err
}

// SetOrderStatus records that an order reached a status at a time; see orders.SetStatus. It
// returns BadUserInput for an invalid id or time.
func (s *Store) SetOrderStatus(ctx context.Context, id string, to orders.Status, at time.Time) (orders.Order, error) {
	if err := errs.Join(orders.ValidateID("orderId", id), item.ValidateTime("at", at)); err != nil {
		return orders.Order{}, err
	}
	ctx, cancel := s.t.Deadline(table.Writing(ctx))
	defer cancel()
	o, _, err := s.orders.SetStatus(ctx, id, to, at)
	return o, err
}

// OrderSeen is orders.Get for a viewer. For an order that the viewer must not see it returns
// NotFound, at the cost of an order that does not exist.
func (s *Store) OrderSeen(ctx context.Context, id string, sees func(username string) bool) (orders.Order, error) {
	apart, meter := table.WithMeter(ctx)
	o, err := s.orders.Get(apart, id)
	if err == nil && !sees(o.Username) {
		o, err = orders.Order{}, orders.NotFound(id)
	}
	units, roundTrips := meter.Read()
	if errs.CodeOf(err) == errs.NotFound {
		units, roundTrips = 1.5, 2 // the index, then the table, strongly consistent
	}
	table.Spent(ctx, units, roundTrips)
	return o, err
}
