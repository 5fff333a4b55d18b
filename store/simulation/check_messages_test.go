package simulation

import (
	"slices"
	"strings"
	"time"

	"product-comments/store/key"
	people "product-comments/store/orders"
	mail "product-comments/store/orders/requests"
	"product-comments/store/outbox"
)

// hasWritten reports whether a person had a comment about a product at all times since an instant. The
// caller holds the lock.
func (m *model) hasWritten(owner, product string, since time.Time) bool {
	return slices.ContainsFunc(m.ids, func(id string) bool {
		return !slices.ContainsFunc(m.during(id, since, time.Now()), func(s *state) bool {
			return s == nil || s.owner != owner || s.product != product
		})
	})
}

// asks checks a message when its sending begins, by what was true when the process last looked at the
// request; what changed since may be in the message or not. It returns how often the message was tried
// before.
func (m *model) asks(p *process, a *mail.Asking) (tries int) {
	p.mu.Lock()
	since := p.looked[a.OrderID]
	p.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	stage := map[bool]string{true: "reminder", false: "first"}[a.Reminder]
	of := [2]string{a.OrderID, stage}
	m.h.journal.add(p.name, "  mail", "%s of order %s to %s for %v, known since %s", stage, a.OrderID, a.To.Email, a.Products, since.Sub(m.h.began))
	fail := func(format string, args ...any) {
		m.h.fail("requests", "", "the "+stage+" of order %q is sent by "+p.name+", "+format, append([]any{a.OrderID}, args...)...)
	}
	orders := during(m.orders[a.OrderID], since, time.Now(), func(o orderMoment) (time.Time, placedOrder) { return o.at, o.is })
	delivered := slices.IndexFunc(orders, func(o placedOrder) bool { return o.status == people.Delivered && !o.nobodys() })
	if delivered < 0 {
		fail("which was %v", orders)
		return 0
	}
	o := orders[delivered]
	states := m.requestsDuring(a.OrderID, since)
	known := slices.IndexFunc(states, func(s requestState) bool { return s.live() && stageOf(s.State) == stage })
	if known < 0 {
		fail("and its request was %+v", states)
		return 0
	}
	is := states[known]
	addresses := during(m.contacts[a.OrderID], since, time.Now(), func(c contactMoment) (time.Time, string) { return c.at, c.address })
	address := strings.ToLower(a.To.Email)
	written := func(product string) bool { return m.hasWritten(o.whose, product, since) }
	products := m.productsOf(a.OrderID)
	answered := slices.ContainsFunc(products, written)
	if !a.Reminder {
		answered = !slices.ContainsFunc(products, func(product string) bool { return !written(product) })
	}
	out := m.optOuts[address]
	clock, before := p.now(), since.Add(p.offset)
	h := m.h.policy()
	good := func(at time.Time) bool {
		return h.Hours == (mail.Hours{}) || at.In(h.Zone).Hour() >= h.Hours.From && at.In(h.Zone).Hour() < h.Hours.To
	}
	switch {
	case a.Subject != o.whose:
		fail("to %s, but it is of %s", a.Subject, o.whose)
	case !slices.Contains(addresses, a.To.Email):
		fail("to %s, but its contact was %v", a.To.Email, addresses)
	case answered, len(a.Products) == 0, slices.ContainsFunc(a.Products, written):
		fail("and the buyer had written about %v", a.Products)
	case !out.IsZero() && out.Before(since):
		fail("but %s had opted out at %s", address, out.Sub(m.h.began))
	case !good(clock) && !good(before) && (a.Reminder || !is.Chosen):
		fail("at %s", clock.In(h.Zone))
	case !a.Reminder && !is.Chosen && clock.Before(o.times.Get(people.Delivered).Add(h.After)):
		fail("too early after %s", o.times.Get(people.Delivered))
	case a.Reminder && (h.Reminder == 0 || clock.Before(is.Sent.Add(h.Reminder))):
		fail("too early after %s", is.Sent)
	case m.askIDs[of] != "" && m.askIDs[of] != a.ID:
		fail("once as %s and once as %s", m.askIDs[of], a.ID)
	}
	for other, id := range m.askIDs {
		if id == a.ID && other != of {
			fail("as %s, which is of %v", id, other)
		}
	}
	if other := m.sending[of]; other != nil && other.offset == p.offset && other.died().IsZero() {
		fail("while " + other.name + " sends it")
	}
	m.askIDs[of], m.sending[of] = a.ID, p
	m.tries[of]++
	return m.tries[of] - 1
}

// productsOf returns the products of an order.
func (m *model) productsOf(order string) (all []string) {
	n := m.h.numberOf(order)
	for _, l := range m.h.theOrder(max(n, 0)).Lines {
		all = append(all, l.ProductID)
	}
	return all
}

// answered notes that a sending ends, and whether the mail server took the message.
func (m *model) answered(p *process, a *mail.Asking, accepted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	of := [2]string{a.OrderID, map[bool]string{true: "reminder", false: "first"}[a.Reminder]}
	if m.sending[of] == p {
		delete(m.sending, of)
	}
	if !accepted {
		return
	}
	m.h.journal.add(p.name, "  mail", "was accepted: %v", of)
	if m.takes[of]++; m.takes[of] > 1 {
		m.h.marks.add("a message was accepted again")
	}
	m.h.marks.add("a message was accepted: " + of[1])
	m.mails = append(m.mails, sentMail{a.OrderID, strings.ToLower(a.To.Email), a.OptOut})
}

// idle reports whether no message can leave. The caller holds the lock.
func (h *history) idle() bool {
	now := time.Now()
	for p := range h.model.endpoints {
		if slices.ContainsFunc(h.model.endpointDuring(p, now, now), func(p *outbox.Endpoint) bool {
			return (&appended{kind: outbox.RequestDue}).isFor(p)
		}) {
			return false
		}
	}
	return h.config.EventsAlone
}

// noneWaits checks that days after everything is quiet no message is due.
func (h *history) noneWaits() {
	h.model.mu.Lock()
	defer h.model.mu.Unlock()
	if h.idle() {
		return
	}
	for id := range h.model.requests {
		if s := h.model.requestNow(id); s.State == "SCHEDULED" && h.model.orderNow(id).status == people.Delivered || s.State == "SENT" && h.config.RemindAfter > 0 {
			h.fail("requests", "", "everything has been quiet for days, but the request of %s waits: %+v", id, s)
		}
	}
}

// requestsEnded checks what is left of requests when all have ended.
func (h *history) requestsEnded() {
	m := h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	counts, outs := map[string]int{}, 0
	for _, it := range h.db.Items() {
		pk := text(it, key.PK)
		id, isRequest := key.RequestOf(pk)
		switch {
		case isRequest:
			if s := spelledRequest(it); s != m.requestNow(id) || s.live() || s.contact {
				h.fail("requests", "", "all should have ended, but the request of %s is %+v", id, s)
			}
		case strings.HasPrefix(pk, key.RequestMonth("")):
			for name := range m.counts {
				counts[name] += number(it, name, 0)
			}
		case strings.HasPrefix(pk, key.OptOut("")) && pk != key.OptOutKey:
			outs++
		}
	}
	for name, want := range m.counts {
		if counts[name] != want {
			h.fail("requests", "", "months count %d %s, and there were %d", counts[name], name, want)
		}
	}
	if outs != len(m.optOuts) {
		h.fail("requests", "", "there are %d opt-outs, not %d", outs, len(m.optOuts))
	}
	for id := range m.owed {
		h.fail("requests", "", "order %s is over, and its request is not", id)
	}
	for _, all := range m.requests {
		for _, mo := range all {
			for _, of := range mo.tell {
				e := &appended{kind: of.kind}
				for p := range m.endpoints {
					if m.told[of] == "" && m.always(p, e, mo.at.Add(-time.Minute), mo.at) {
						h.fail("requests", "", "there is no %s about order %s, which endpoint %s wants", of.kind, of.order, p)
					}
				}
			}
		}
	}
	if len(m.requests) > 0 {
		h.marks.add("months of requests were compared at the end")
	}
}

// request tells what is wrong with an item of requests when everything is quiet, "" if nothing is; ok is
// false for other items. Opt-outs and months are counted by requestsEnded.
func (x *demanded) request(it item, pk string) (wrong string, ok bool) {
	order, isRequest := key.RequestOf(pk)
	switch now := x.h.model.requestNow(order); {
	case !isRequest:
		return "", strings.HasPrefix(pk, key.OptOut("")) || strings.HasPrefix(pk, key.RequestMonth(""))
	case spelledRequest(it) != now:
		wrong = "it is not what was written"
	case x.h.model.orderNow(order).nobodys(), x.h.model.orderOver(order) && now.live():
		wrong = "its order is over"
	case text(it, key.PlacedID) != key.RequestsIn(now.State, order).Value || text(it, key.GSISK) != key.Position{CreatedAt: now.Next, CommentID: order}.SortKey():
		wrong = "it is in the wrong list"
	}
	return wrong, true
}
