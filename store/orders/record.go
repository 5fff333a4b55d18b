package orders

import (
	"context"
	"slices"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// Outcome is the effect of a message.
type Outcome uint8

// The effects of a message.
const (
	Made      Outcome = iota + 1 // the order is new
	Advanced                     // the order existed, and has advanced
	Unchanged                    // the order existed, and the message changed nothing
)

// Record records an order, which must be valid. It writes a new order with its lines, marks and
// profile in one transaction. For an existing order it applies status and times as SetStatus does.
// Record returns the stored order, or Conflict if user or lines differ from an existing order's; the
// call can be repeated.
func (o *Orders) Record(ctx context.Context, order Order) (now Order, did Outcome, err error) {
	order.lines = len(order.Lines)
	err = o.t.Race(ctx, "record the order", func() error {
		if now, err = o.readConsistent(ctx, order.ID); err != nil {
			return err
		}
		if now.revision > 0 {
			if err := order.conflicts(&now); err != nil {
				return err
			}
			now.Contact = order.Contact
			did, err = o.advance(ctx, &now, order.messages()...)
			return err
		}
		now, did = order, Made
		writes, err := o.first(ctx, &now)
		if err != nil {
			return err
		}
		return o.t.WriteAll(ctx, "write the order", writes...)
	})
	if did != Unchanged {
		o.requests.Changed()
	}
	return now, did, err
}

// conflicts returns the error if the existing order has another user or other lines. The user
// of an existing order may have been erased, and is not compared then.
func (o *Order) conflicts(now *Order) error {
	const message = "Order %s exists with another user, time or lines: use another order id"
	if o.Username != now.Username && !isErasedUser(now.Username) ||
		!o.Times.Get(Placed).Equal(now.Times.Get(Placed)) || !sameLines(o.Lines, now.Lines) {
		return errs.Errorf(errs.Conflict, message, item.Printable(o.ID))
	}
	return nil
}

// message reports that an order reached a status, at a time that may be unknown.
type message struct {
	status Status
	at     time.Time
}

// messages returns the messages that an order contains.
func (o *Order) messages() []message {
	all := []message{{status: o.Status}}
	for i, at := range o.Times {
		if !at.IsZero() {
			all = append(all, message{Status(i + 1), at})
		}
	}
	return all
}

// SetStatus records that an order reached a status at a time. A late or repeated message does not
// set the order back; see the package comment. SetStatus returns the stored order, or NotFound if
// there is none; the call can be repeated.
func (o *Orders) SetStatus(ctx context.Context, id string, s Status, at time.Time) (now Order, did Outcome, err error) {
	err = o.t.Race(ctx, "set the status", func() error {
		if now, err = o.readConsistent(ctx, id); err != nil {
			return err
		}
		if now.revision == 0 {
			return errs.Errorf(errs.NotFound, "There is no order %s: record it first", item.Printable(id))
		}
		did, err = o.advance(ctx, &now, message{s, utc(at)})
		return err
	})
	if did != Unchanged {
		o.requests.Changed()
	}
	return now, did, err
}

// advance applies messages to an existing order, on the condition that it has not changed since
// it was read.
func (o *Orders) advance(ctx context.Context, now *Order, messages ...message) (Outcome, error) {
	before, changed := now.Status, false
	for _, m := range messages {
		changed = now.apply(m.status, m.at) || changed
	}
	writes, err := o.request(ctx, now, before)
	if err != nil || !changed && writes == nil {
		return Unchanged, err
	}
	revision := now.revision
	now.revision = o.t.Random().NextRevision(revision)
	put := table.Write{Put: orderItem(now, now.revision)}.IfRevision(attrRevision, revision)
	return Advanced, o.t.WriteAll(ctx, "write the order", slices.Concat([]table.Write{put}, now.marks(before), writes)...)
}

// request returns the write of an order's review request: of its first contact, of another one, or
// after a change from another status, 0 for a new order. nil is none.
func (o *Orders) request(ctx context.Context, now *Order, before Status) (writes []table.Write, err error) {
	delivered, over := now.Status == Delivered, now.Status.over()
	var w table.Write
	switch {
	case isErasedUser(now.Username):
	case now.Contact != nil && !now.asks:
		now.asks = true
		w, err = o.requests.New(now.ID, *now.Contact, delivered, over)
	case now.asks && (now.Contact != nil || now.Status != before && now.Status >= Delivered):
		w, err = o.requests.Advance(ctx, now.ID, now.Contact, delivered, over)
	}
	if w.Put == nil {
		return nil, err
	}
	return []table.Write{w}, err
}

// marks returns the writes of the order's marks after a change from another status, 0 for a new
// order.
func (o *Order) marks(before Status) (writes []table.Write) {
	by := 0
	if o.Status.counts() {
		by++
	}
	if before.counts() {
		by--
	}
	if by == 0 {
		return nil
	}
	return o.purchases(by)
}

// purchases returns the writes that add to the marks of all products of an order.
func (o *Order) purchases(by int) (writes []table.Write) {
	if isErasedUser(o.Username) {
		return nil
	}
	for _, product := range o.Products() {
		writes = append(writes, count(o.Username, product, by))
	}
	return writes
}

// first returns the writes of a new order.
func (o *Orders) first(ctx context.Context, order *Order) ([]table.Write, error) {
	since, err := o.since(ctx, order)
	if err != nil {
		return nil, err
	}
	order.revision = o.t.Random().NextRevision(0)
	request, err := o.request(ctx, order, 0)
	if err != nil {
		return nil, err
	}
	writes := []table.Write{{Put: orderItem(order, order.revision), If: table.Absent}}
	for n := range order.Lines {
		writes = append(writes, table.Write{Put: lineItem(order, n), If: table.Absent})
	}
	return slices.Concat(writes, order.marks(0), since, request), nil
}

// since returns the write of the user's profile if the order is their first one.
func (o *Orders) since(ctx context.Context, order *Order) ([]table.Write, error) {
	if isErasedUser(order.Username) {
		return nil, nil
	}
	profile, err := o.t.Get(ctx, "the user", profileKey(order.Username))
	if err != nil {
		return nil, err
	}
	placed := order.Times.Get(Placed)
	since := profileKey(order.Username)
	since[attrCreated] = table.S(placed.Format(time.RFC3339Nano))
	if profile == nil {
		return []table.Write{{Put: since, If: table.Absent}}, nil
	}
	at, err := SinceOf(profile)
	if err != nil || !placed.Before(at) { // orders may arrive in any order
		return nil, err
	}
	return []table.Write{table.Write{Put: since}.Unchanged(profile, attrCreated)}, nil
}
