package simulation

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"product-comments/store/errs"
	people "product-comments/store/orders"
)

// recordOrder tells of an order, often of one that is there, now and then with other
// lines, which is refused.
func recordOrder(a *act) {
	o := a.theOrder(a.IntN(a.someOrders()))
	if a.chance(0.1) {
		o.Lines = append(slices.Clone(o.Lines), people.Line{ProductID: a.product(), Quantity: 7})
	}
	told := placedOrder{people.Placed, o.Times, o.Username}
	if a.chance(0.4) {
		for s := people.Paid; s <= a.toldStatus(); s++ {
			told.tell(s, a.told())
		}
		o.Status, o.Times = told.status, told.times
	}
	o.Contact = a.contact()
	a.recordsOrder(o)
}

func (a *act) recordsOrder(o people.Order) {
	other := len(o.Lines) != len(a.theOrder(a.numberOf(o.ID)).Lines)
	told := placedOrder{o.Status, o.Times, o.Username}
	who, is := o.Username, a.model.order(o.ID)
	defer a.as(&who)()
	if other && is.status == 0 || who == "" && is.whose == o.Username { // it would be the one that is there, or bring a name back
		return
	}
	if who == "" && is.status == 0 {
		return
	}
	c, ctx := a.begin("record order", o)
	c.within = callTimeout
	if o.Contact != nil {
		c.contact = o.Contact.Email
	}
	c.orders = func(id string, before, after placedOrder) string {
		want := before
		if before.status == 0 {
			want.whose = o.Username
		}
		for i, at := range told.times {
			if !at.IsZero() {
				want.tell(people.Status(i+1), at)
			}
		}
		if other || id != o.ID || after != want || after == before && o.Contact == nil {
			return "it is not what was told"
		}
		return ""
	}
	got, _, err := a.server.store.RecordOrder(ctx, o)
	a.end(c, err, "%v", &got)
	if is.nobodys() && err == nil {
		a.marks.add("an order of an erased person was recorded again")
	}
	switch {
	case other && errs.CodeOf(err) == errs.Conflict:
		a.marks.add("an order with other lines was refused")
	case other && err == nil:
		a.fail("order", o.ID, "%s was taken in, and the order has other lines", c)
	default:
		a.messaged(c, got, o.ID, told)
	}
}

// setOrderStatus tells of a status, often late, now and then twice at once, and now and
// then in the moment in which who ordered writes about what comes, or went back.
func setOrderStatus(a *act) {
	o := a.theOrder(a.IntN(a.someOrders()))
	s, at := a.toldStatus(), a.told()
	meanwhile := func() {}
	switch {
	case a.chance(0.2):
		a.marks.add("a status was told twice at once")
		meanwhile = func() { a.setsStatus(status{o.ID, s, at}) }
	case s >= people.Delivered && a.chance(0.5):
		a.marks.add("a person wrote as an order of theirs came, or went back")
		n := a.newComment(o.Lines[a.IntN(len(o.Lines))].ProductID, o.Username)
		meanwhile = func() { a.creates(n) }
	}
	done := make(chan struct{})
	go func() { defer close(done); a.aside("message").setsStatus(status{o.ID, s, at}) }()
	meanwhile()
	<-done
}

// status is a message of what became of an order.
type status struct {
	ID string
	Is people.Status
	At time.Time
}

func (a *act) setsStatus(m status) {
	c, ctx := a.begin("set order status", m)
	id, s, at := m.ID, m.Is, m.At
	c.within = callTimeout
	c.orders = func(of string, before, after placedOrder) string {
		want := before
		want.tell(s, at)
		switch {
		case before.status == 0:
			return "a status made an order"
		case of != id || after != want || after == before:
			return "it is not what was told"
		case s < before.status:
			a.marks.add("a late status only told its time")
		}
		return ""
	}
	got, err := a.server.store.SetOrderStatus(ctx, id, s, at)
	a.end(c, err, "%v", &got)
	if errs.CodeOf(err) == errs.NotFound {
		if !slices.Contains(a.model.ordersDuring(id, c.began, time.Now()), placedOrder{}) {
			a.fail("not found", id, "%s ended with %v, but the order was there", c, err)
		}
		return
	}
	told := placedOrder{}
	if s != people.Placed { // which changes nothing
		told.tell(s, at)
	}
	a.messaged(c, got, id, told)
}

// told draws one of a few times, so that messages contradict each other.
func (a *act) told() time.Time {
	step := time.Hour
	if a.config.Requests {
		step = time.Minute
	}
	return a.began.Add(time.Duration(1+a.IntN(6)) * step).UTC().Round(0)
}

// toldStatus draws a status, most often one after which requests are sent.
func (a *act) toldStatus() people.Status {
	switch {
	case !a.config.Requests:
	case a.chance(0.6):
		return people.Delivered
	case a.chance(0.6):
		return people.Paid
	}
	return people.Status(1 + a.IntN(6))
}

// messaged checks what a message came to: an acknowledged one is taken in permanently.
func (a *act) messaged(c *call, got people.Order, id string, told placedOrder) {
	if c.err != nil {
		a.wrote(c)
		return
	}
	is := a.model.order(id)
	if !is.covers(told) {
		a.fail("lost write", id, "%s was acknowledged, and the order is %v", c, is)
	}
	if is := (placedOrder{got.Status, got.Times, got.Username}); !slices.Contains(a.model.ordersDuring(id, c.began, time.Now()), is) {
		a.fail("answer", id, "%s returned %v, which the order was not during the call", c, is)
	}
}

// seeOrders reads an order or a list of some. Indexes are behind, but each shows what was
// true a moment ago: no order that was not like that, and all that did not change.
func seeOrders(a *act) {
	o := a.theOrder(a.IntN(a.someOrders()))
	f := people.Filter{Username: o.Username, Status: people.Status(a.IntN(7))}
	switch a.IntN(3) {
	case 0:
		a.seeOrder(o.ID)
	case 1:
		a.openOrders(nothing{})
	default:
		a.ordersOf(f)
	}
}

func (a *act) openOrders(nothing) {
	c, ctx := a.begin("open orders", nothing{})
	p, err := a.server.store.Orders().Open(ctx, people.Window{Limit: a.someOrders()})
	a.end(c, err, "%d", len(p.Items))
	a.seen(c, err, p.Items, func(is placedOrder) bool { return is.status == people.Placed })
	if !slices.IsSortedFunc(p.Items, oldestFirst) {
		a.fail("order", "", "%s is not oldest first: %v", c, p.Items)
	}
	if len(p.Items) > 0 {
		a.marks.add("open orders were listed")
	}
}

func (a *act) ordersOf(f people.Filter) {
	c, ctx := a.begin("orders", f)
	p, err := a.server.store.Orders().List(ctx, f, people.Window{Limit: a.someOrders()})
	a.end(c, err, "%d", len(p.Items))
	a.seen(c, err, p.Items, func(is placedOrder) bool {
		return is.whose == f.Username && is.status > 0 && (f.Status == 0 || is.status == f.Status)
	})
}

func oldestFirst(a, b people.Order) int {
	return cmp.Or(a.Times.Get(people.Placed).Compare(b.Times.Get(people.Placed)), cmp.Compare(a.ID, b.ID))
}

// seen compares a list with the orders that belong in it.
func (a *act) seen(c *call, err error, got []people.Order, belongs func(placedOrder) bool) {
	if err != nil {
		a.tolerable(c, err)
		return
	}
	from := c.began.Add(-a.config.Double.IndexLag)
	shown := map[string]bool{}
	for _, o := range got {
		moved := a.movedSince(o.ID, from) // its item was another one, and indexes may have both, or none
		if a.numberOf(o.ID) < 0 || shown[o.ID] && !moved {
			a.fail("order", o.ID, "%s shows %v, which is none or twice there", c, &o)
			continue
		}
		shown[o.ID] = true
		is := placedOrder{o.Status, o.Times, o.Username}
		if !belongs(is) || !slices.Contains(a.model.ordersDuring(o.ID, from, time.Now()), is) {
			a.fail("order", o.ID, "%s shows %v, which it was not lately, or does not belong there", c, &o)
		}
	}
	for n := range a.someOrders() {
		o := a.theOrder(n)
		was := a.model.ordersDuring(o.ID, from, time.Now())
		if !shown[o.ID] && !a.movedSince(o.ID, from) && !slices.ContainsFunc(was, func(is placedOrder) bool { return !belongs(is) }) {
			a.fail("order", o.ID, "%s lacks %s, which belonged there all the time: %v", c, o.ID, was)
		}
	}
}

// movedSince reports whether an order came from one user to another since then.
func (a *act) movedSince(id string, from time.Time) bool {
	was := a.model.ordersDuring(id, from, time.Now())
	return slices.ContainsFunc(was, func(is placedOrder) bool { return is.status > 0 && was[0].status > 0 && is.whose != was[0].whose })
}

// seeOrder reads an order with its lines, which are all there.
func (a *act) seeOrder(id string) {
	c, ctx := a.begin("order by id", id)
	o := a.theOrder(a.numberOf(id))
	got, err := a.server.store.Orders().Get(ctx, o.ID)
	a.end(c, err, "%v", &got)
	from := c.began.Add(-a.config.Double.IndexLag)
	switch {
	case errs.CodeOf(err) == errs.NotFound:
		if !slices.Contains(a.model.ordersDuring(o.ID, c.began, time.Now()), placedOrder{}) {
			a.fail("not found", o.ID, "%s ended with %v, but the order was there", c, errors.Unwrap(err))
		}
	case err != nil:
		a.tolerable(c, err)
	case len(got.Lines) != len(o.Lines):
		a.fail("order", o.ID, "%s returned %d lines, not %d", c, len(got.Lines), len(o.Lines))
	case !slices.Contains(a.model.ordersDuring(o.ID, from, time.Now()), placedOrder{got.Status, got.Times, got.Username}):
		a.fail("answer", o.ID, "%s returned %v, which it was not lately", c, &got)
	}
}
