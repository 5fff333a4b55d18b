package store

import (
	"context"
	"math"

	"product-comments/store/errs"
	"product-comments/store/item"
	"product-comments/store/key"
	"product-comments/store/orders"
	"product-comments/store/table"
)

// absence is the metered cost of finding that something does not exist. An operation that
// returns NotFound must always cost exactly that. Otherwise the cost would reveal that there is
// something that the viewer must not see.
type absence struct {
	units      float64
	roundTrips int
}

var (
	noComment    = absence{1, 1}   // one item, strongly consistent
	noBallot     = absence{2, 1}   // the comment and the vote, in one batch
	noReportable = absence{2, 2}   // the report, then the comment
	noOrder      = absence{1.5, 2} // the index, then the table, strongly consistent
)

// bytesOfAUnit is how many bytes of one item a strongly consistent read unit covers.
const bytesOfAUnit = 4096

// chargeAbsence returns the context for an operation and a function to call with the
// operation's error. The function adds the operation's reads to the meter of ctx, or the cost
// of the absence if the error is NotFound.
func chargeAbsence(ctx context.Context, of absence) (context.Context, func(error)) {
	apart, meter := table.WithMeter(ctx)
	return apart, func(err error) {
		units, roundTrips := meter.Read()
		if errs.CodeOf(err) == errs.NotFound {
			units, roundTrips = of.units, of.roundTrips
		}
		table.Spent(ctx, units, roundTrips)
		table.Wrote(ctx, meter.Written())
	}
}

// everyone is the filter of GetSeen that sees every comment.
func everyone(*Comment) bool { return true }

// GetSeen is GetMany for a viewer. A comment that the viewer must not see is nil and costs as
// much as one that does not exist.
func (s *Store) GetSeen(ctx context.Context, ids []string, sees func(*Comment) bool) ([]*Comment, error) {
	ctx, cancel := s.t.Deadline(ctx)
	defer cancel()
	apart, meter := table.WithMeter(ctx)
	items, err := s.getItems(apart, ids)
	units, roundTrips := meter.Read()
	if err != nil {
		table.Spent(ctx, units, roundTrips)
		return nil, err
	}
	seen, asked := make(map[string]*Comment, len(items)), map[string]bool{}
	shown := 0.0 // units of the comments in the answer and of the absence of the others
	for _, id := range ids {
		if asked[id] {
			continue
		}
		asked[id] = true
		it := items[key.Comment(id)]
		if it == nil || item.IsDeleted(it) {
			shown += noComment.units
			continue
		}
		c, err := item.Read(it, "")
		if err != nil {
			return nil, err
		}
		if !sees(&c.Comment) {
			shown += noComment.units
			continue
		}
		shown += math.Ceil(float64(table.SizeOf(it)) / bytesOfAUnit)
		if err := s.unpack(ctx, &c); err != nil {
			return nil, err
		}
		seen[id] = &c.Comment
	}
	if len(seen) < len(asked) { // otherwise the metered units are correct
		units = shown
	}
	table.Spent(ctx, units, roundTrips)
	out := make([]*Comment, len(ids))
	for i, id := range ids {
		out[i] = seen[id]
	}
	return out, nil
}

// OrderSeen is orders.Get for a viewer. For an order that the viewer must not see it returns
// NotFound, at the cost of an order that does not exist.
func (s *Store) OrderSeen(ctx context.Context, id string, sees func(username string) bool) (o orders.Order, err error) {
	ctx, charge := chargeAbsence(ctx, noOrder)
	defer func() { charge(err) }()
	if o, err = s.orders.Get(ctx, id); err == nil && !sees(o.Username) {
		return orders.Order{}, orders.NotFound(id)
	}
	return o, err
}
