package simulation

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
	people "product-comments/store/orders"
	"product-comments/store/simulation/double"
)

// placedOrder is the content of an order at a moment, comparable with ==. The simulation decodes it
// from items itself, without the store's code. A status that is not set is absent.
type placedOrder struct {
	status people.Status
	times  people.Times
	whose  string
}

// nobodys reports whether it was of someone who was erased.
func (o placedOrder) nobodys() bool { return strings.HasPrefix(o.whose, "erased-") }

// tell takes in a message, as the contract says: nothing goes back, and of several times
// of one status the earliest counts.
func (o *placedOrder) tell(s people.Status, at time.Time) {
	o.status = max(o.status, s)
	if known := &o.times[s-1]; known.IsZero() || s != people.Placed && at.Before(*known) {
		*known = at
	}
}

// covers reports whether all that another one says has been taken in.
func (o *placedOrder) covers(other placedOrder) bool {
	for i, at := range other.times {
		if !at.IsZero() && (o.times[i].IsZero() || o.times[i].After(at)) {
			return false
		}
	}
	return o.status >= other.status
}

// orderMoment is when an order became what it is from then on.
type orderMoment struct {
	at time.Time
	is placedOrder
}

// someOrders is how many orders there may be. Of those after the sixth each is of another buyer.
func (h *history) someOrders() int { return 6 + 8*one(h.config.Requests) }

// theOrder returns an order as it is when it is recorded for the first time: who ordered
// what follows from its number.
func (h *history) theOrder(n int) people.Order {
	o := people.Order{
		ID: fmt.Sprintf("order/%d#", n), Username: fmt.Sprintf("buyer/%d#", n%3), Status: people.Placed,
		Times: people.Times{h.began.Add(time.Duration(n/2) * time.Minute).UTC().Round(0)},
	}
	if n >= 6 {
		o.Username = fmt.Sprintf("buyer/%d#", n)
	}
	for k := range 1 + n%3 {
		o.Lines = append(o.Lines, people.Line{ProductID: h.config.Products[(n+k*(n%2))%len(h.config.Products)], Quantity: 1 + k})
	}
	return o
}

// numberOf is the inverse of theOrder; -1 for an order that there cannot be.
func (h *history) numberOf(id string) int {
	for n := range h.someOrders() {
		if h.theOrder(n).ID == id {
			return n
		}
	}
	return -1
}

// spelledOrder reads what an order's item says.
func spelledOrder(it item) (o placedOrder) {
	shown, ok := it["sa"].(*types.AttributeValueMemberM)
	if !ok {
		return o
	}
	o.whose, _ = key.Username(text(it, key.PK))
	statuses := []string{"PLACED", "PAID", "SHIPPED", "DELIVERED", "RETURNED", "CANCELLED"}
	o.status = people.Status(slices.Index(statuses, text(shown.Value, "status")) + 1)
	for i := range o.times {
		if at := text(shown.Value, strings.ToLower(statuses[i])+"At"); at != "" {
			o.times[i], _ = time.Parse(time.RFC3339Nano, at) // one that cannot be read is no state of the model
		}
	}
	return o
}

// ordered takes the change of an order that took effect. The caller holds the lock.
func (m *model) ordered(by *call, c double.Change) {
	it := c.After
	if len(it) == 0 {
		it = c.Before
	}
	id, _ := key.OrderID(text(it, key.SK))
	before, after := spelledOrder(c.Before), spelledOrder(c.After)
	if len(c.After) == 0 { // the next change of the transaction gives it to another user
		m.moving[id] = before
		return
	}
	if was, moves := m.moving[id]; moves {
		before = was
		delete(m.moving, id)
	}
	m.orders[id] = append(m.orders[id], orderMoment{time.Now(), after})
	m.h.journal.add(by.processName(), "  effect", "of %s: %s is now %v", by, id, after)
	if by == nil || by.orders == nil {
		m.h.fail("order", id, "%s changed the order %s, which it must not", by, id)
		return
	}
	if wrong := by.orders(id, before, after); wrong != "" {
		m.h.fail("order", id, "%s: %s: %v → %v", by, wrong, before, after)
	}
	m.ends(by, id, after)
	if late := by.late(time.Now()); late != "" {
		m.h.fail("late", id, "%s took effect late, %s", by, late)
	}
}

// order returns an order as it is.
func (m *model) order(id string) placedOrder {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.orderNow(id)
}

// orderNow is order for a caller who holds the lock.
func (m *model) orderNow(id string) (o placedOrder) {
	if all := m.orders[id]; len(all) > 0 {
		o = all[len(all)-1].is
	}
	return o
}

// ordersDuring returns all that an order was at some time in an interval.
func (m *model) ordersDuring(id string, from, to time.Time) []placedOrder {
	m.mu.Lock()
	defer m.mu.Unlock()
	return during(m.orders[id], from, to, func(o orderMoment) (time.Time, placedOrder) { return o.at, o.is })
}

// takeOrder tells what is wrong with an item about orders, "" if nothing is; ok is false
// for every other item.
func (x *demanded) takeOrder(it item, pk, sk string) (wrong string, ok bool) {
	if username, product, ok := key.BoughtBy(pk, sk); ok {
		want := 0
		for n := range x.h.someOrders() {
			o := x.h.theOrder(n)
			has := slices.ContainsFunc(o.Lines, func(l people.Line) bool { return l.ProductID == product })
			is := x.h.model.orderNow(o.ID)
			want += one(has && is.whose == username && is.status == people.Delivered)
		}
		x.bought[[2]string{username, product}] = true
		if got := number(it, "n", -1); got != want {
			return fmt.Sprintf("%d orders count, not %d", got, want), true
		}
		x.h.marks.add("marks of purchases were compared at the end")
		return "", true
	}
	if id, ok := key.OrderID(sk); ok {
		return x.orderItem(it, id, pk), true
	}
	if id, ok := key.OrderID(pk); ok {
		if n := x.h.numberOf(id); n < 0 || x.h.model.orderNow(id).status == 0 {
			return "there is no such order", true
		}
		x.lines[id]++
		if whose := x.h.model.orderNow(id).whose; sk == key.Line(1) && text(it, "user") != whose {
			return fmt.Sprintf("it is of %q, and the order is of %q", text(it, "user"), whose), true
		}
		return "", true
	}
	if sk == key.Profile {
		if first := x.firstOrder(pk); text(it, "created") != first.Format(time.RFC3339Nano) {
			return fmt.Sprintf("it is of %s, not of %s", text(it, "created"), first), true
		}
		return "", true
	}
	return "", false
}

// firstOrder is when the first of a person's orders was placed.
func (x *demanded) firstOrder(pk string) (first time.Time) {
	for n := range x.h.someOrders() {
		o := x.h.theOrder(n)
		is := x.h.model.orderNow(o.ID)
		if at := o.Times.Get(people.Placed); is.status > 0 && key.User(is.whose) == pk && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// orderItem compares an order's item, with the keys by which indexes have it.
func (x *demanded) orderItem(it item, id, pk string) string {
	is := x.h.model.orderNow(id)
	n := x.h.numberOf(id)
	if n < 0 || pk != key.User(is.whose) {
		return "there is no such order"
	}
	x.orders[id] = true
	if got := spelledOrder(it); got != is {
		return fmt.Sprintf("it is %v, not %v", got, is)
	}
	if (text(it, key.PlacedID) != "") != (is.status == people.Placed) {
		return fmt.Sprintf("it is %s, and open as %q", is.status, text(it, key.PlacedID))
	}
	if got := text(it, key.OrderStatusDate); !strings.HasPrefix(got, is.status.String()+"#") {
		return fmt.Sprintf("it is %s, and in the list of %q", is.status, got)
	}
	return ""
}

// checkOrders looks for what the table lacks of orders. The model's lock is held.
func (x *demanded) checkOrders() {
	for n := range x.h.someOrders() {
		o := x.h.theOrder(n)
		is := x.h.model.orderNow(o.ID)
		if is.status == 0 {
			continue
		}
		if !x.orders[o.ID] || x.lines[o.ID] != len(o.Lines) {
			x.h.fail("table", o.ID, "everything is quiet, but of order %s the table has %t and %d lines", o.ID, x.orders[o.ID], x.lines[o.ID])
		}
		for _, l := range o.Lines {
			if is.status == people.Delivered && !is.nobodys() && !x.bought[[2]string{is.whose, l.ProductID}] {
				x.h.fail("table", o.ID, "everything is quiet, but %q was delivered and has no mark for %q", o.ID, l.ProductID)
			}
		}
	}
}

// bought are purchases as orders have them, and which comments follow them. The model's
// lock is held wherever they are used.
type bought struct {
	by      map[[2]string]bool // by person and product
	follows map[string]bool    // by comment id
}

func newBought() bought { return bought{map[[2]string]bool{}, map[string]bool{}} }

// marked takes the change of a mark of a purchase.
func (b *bought) marked(c double.Change) {
	it := c.After
	if len(it) == 0 {
		it = c.Before
	}
	if username, product, ok := key.BoughtBy(text(it, key.PK), text(it, key.SK)); ok {
		b.by[[2]string{username, product}] = number(c.After, "n", 0) > 0
	}
}

// of spells whether someone bought a product by now.
func (b *bought) of(username, product string) string {
	return boughtOf(new(b.by[[2]string{username, product}]))
}

// decided tells what a comment must say that someone writes now; nothing if it is
// no one's.
func (b *bought) decided(owner, product string) string {
	if owner == "" {
		return ""
	}
	return b.of(owner, product)
}

// settles is the explain of what projectors do: a comment that follows its owner's
// purchases says what they are by then.
func (m *model) settles(before, after *state) string {
	if before == nil || after == nil || !m.bought.follows[before.id] {
		return same(before, after)
	}
	want := *before
	if want.bought = m.bought.of(before.owner, before.product); *after != want {
		return "it changed what a comment says, other than of its owner's purchase, which is " + want.bought
	}
	m.h.marks.add("a comment followed a purchase")
	return ""
}

// imported returns what a comment says of a purchase after an import over another one.
func (b *bought) imported(before *state, want state) string {
	if b.follows[before.id] && before.product == want.product && (want.bought == "" || want.bought == before.bought) {
		return before.bought
	}
	return want.bought
}
