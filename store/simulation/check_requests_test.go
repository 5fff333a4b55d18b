package simulation

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"product-comments/store/key"
	people "product-comments/store/orders"
	mail "product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
)

// requested is what the model knows of the requests of orders.
type requested struct {
	requests map[string][]requestMoment // by order, in order
	contacts map[string][]contactMoment // by order, in order
	optOuts  map[string]time.Time       // by address in lower case
	mails    []sentMail                 // that were accepted
	tries    map[[2]string]int          // by order and stage
	askIDs   map[[2]string]string       // of messages
	takes    map[[2]string]int          // accepted messages
	counts   map[string]int             // of all months
	told     map[askEvent]string        // ids of events
	owed     map[string]owed            // by order: its transaction must change its request, too
	sending  map[[2]string]*process     // that sends a message now
}

func newRequested() requested {
	return requested{map[string][]requestMoment{}, map[string][]contactMoment{}, map[string]time.Time{}, nil, map[[2]string]int{}, map[[2]string]string{}, map[[2]string]int{}, map[string]int{}, map[askEvent]string{}, map[string]owed{}, map[[2]string]*process{}}
}

type (
	// requestState is the request of an order at a moment, comparable with ==. The simulation decodes
	// it from items itself. The zero value is no request.
	requestState struct {
		State                                               string
		Recorded, Due, Sent, Reminded, Failing, Taken, Next time.Time
		Chosen, Opened                                      bool
		Attempts                                            int
		Failure, Announced                                  string
		contact                                             bool
	}
	requestMoment struct {
		at   time.Time
		is   requestState
		by   *call
		tell []askEvent
	}
	contactMoment struct {
		at      time.Time
		address string
	}
	sentMail struct{ order, address, token string }
	// askEvent is an event about a message of an order's request.
	askEvent struct {
		order string
		kind  outbox.Type
		again bool
	}
	owed struct {
		by *call
		at time.Time
	}
)

func (s requestState) live() bool {
	return s.State == "SCHEDULED" || s.State == "SENT" || s.State == "REMINDED"
}

// again reports whether staff may take up a request that failed.
func (s requestState) again() bool { return s.State == "FAILED" && s.contact }

func spelledRequest(it item) (s requestState) {
	if len(it) == 0 {
		return s
	}
	var with struct {
		requestState
		Contact []byte
	}
	_ = json.Unmarshal([]byte(text(it, "request")), &with) // one that cannot be read is no state of the model
	with.contact = with.Contact != nil
	return with.requestState
}

// requestNow returns a request as it is. The caller holds the lock.
func (m *model) requestNow(order string) (s requestState) {
	if all := m.requests[order]; len(all) > 0 {
		s = all[len(all)-1].is
	}
	return s
}

func (m *model) requestsDuring(order string, from time.Time) []requestState {
	return during(m.requests[order], from, time.Now(), func(r requestMoment) (time.Time, requestState) { return r.at, r.is })
}

// asking notes a change of a request, an opt-out or a month; ok is false for other items.
func (m *model) asking(by *call, c double.Change, pk string) (ok bool) {
	for id, o := range m.owed {
		if o.by != by || !o.at.Equal(time.Now()) {
			m.h.fail("requests", "", "%s ended order %s, and not its request: %+v", o.by, id, m.requestNow(id))
			delete(m.owed, id)
		}
	}
	order, isRequest := key.RequestOf(pk)
	switch {
	case isRequest:
		m.requestChanged(by, order, spelledRequest(c.Before), spelledRequest(c.After))
	case pk == key.OptOutKey:
		if len(c.Before) > 0 {
			m.h.fail("requests", "", "%s wrote over the key of opt-outs", by)
		}
	case strings.HasPrefix(pk, key.OptOut("")):
		if by == nil || by.optsOut == "" {
			m.h.fail("requests", "", "%s opted out: %s", by, spell(c.After))
		} else if m.optOuts[by.optsOut].IsZero() {
			m.optOuts[by.optsOut] = time.Now()
		}
	default:
		return strings.HasPrefix(pk, key.RequestMonth(""))
	}
	return true
}

// ends notes that an order is over, or of no one. Its transaction must end its request, or remove it.
func (m *model) ends(by *call, order string, is placedOrder) {
	if s := m.requestNow(order); is.status > people.Delivered && s.live() || is.nobodys() && s.State != "" {
		m.owed[order] = owed{by, time.Now()}
	}
}

func (m *model) requestChanged(by *call, order string, before, after requestState) {
	delete(m.owed, order)
	now := requestMoment{at: time.Now(), is: after, by: by}
	m.h.journal.add(by.processName(), "  effect", "of %s: the request of %s is %+v", by, order, after)
	wrong, verb := "", ""
	if by != nil {
		verb = by.verb
		if by.contact != "" && (after.State == "SCHEDULED" || after.again()) && by.verb == "record order" {
			m.contacts[order] = append(m.contacts[order], contactMoment{now.at, by.contact})
		}
	}
	again := before.State != "SCHEDULED"
	tell := func(t outbox.Type, again bool) { now.tell = append(now.tell, askEvent{order, t, again}) }
	sends := verb == "projector" || verb == "function"
	became := func(states ...string) bool {
		return after.State != before.State && slices.Contains(states, after.State)
	}
	switch {
	case after.State == "":
		if (by == nil || by.erases == "") && time.Since(before.Recorded) < mail.Kept-2*24*time.Hour { // it may have expired
			wrong = "only an erasure removes it"
		}
	case by == nil:
		wrong = "no call changed it"
	case before.State == "":
		if verb != "record order" || after.State != "SCHEDULED" && after.State != "CANCELLED" {
			wrong = "it is made as it must not be"
		}
	case before.again() && (by.does == "schedule" && after.State == "SCHEDULED" || verb == "record order" && after.State == before.State):
		m.h.marks.add("a request that failed is taken up")
	case !before.live() && (by.does != "opened" || after.State != before.State):
		wrong = "it had ended"
	case !after.Recorded.Equal(before.Recorded):
		wrong = "its time is another one"
	case verb == "record order" || verb == "set order status":
		if became("CANCELLED") != m.orderOver(order) || became("SENT", "REMINDED", "ANSWERED", "OPTED_OUT", "FAILED", "EXPIRED") {
			wrong = "it does not follow its order"
		}
	case verb == "request":
		ok := map[string]bool{"answer": became("ANSWERED"), "opened": after.Opened && !before.Opened, "opt out": became("OPTED_OUT"),
			"schedule": after.State == "SCHEDULED" && after.Chosen, "cancel": became("CANCELLED")}
		if !ok[by.does] {
			wrong = "it is not what was asked for"
		}
	case !sends:
		wrong = "the call must not change it"
	case became("SENT", "REMINDED"):
		if stage := stageOf(before.State); !m.h.config.EventsAlone && m.takes[[2]string{order, stage}] == 0 {
			wrong = "no message was accepted"
		}
	case became("FAILED") || after.Attempts == before.Attempts+1:
	case before.Next.After(by.process.now()):
		wrong = "it was taken before its time"
	}
	if after.State != "" && (after.live() || after.State == "FAILED" && after.Sent.IsZero()) != after.contact {
		wrong = "a contact is there if, and only if, it has not ended, or failed before anything was sent"
	}
	if wrong != "" {
		m.h.fail("requests", "", "%s changed the request of %s: %s: %+v → %+v", by, order, wrong, before, after)
	}
	switch {
	case became("SENT"):
		m.counts["sent"]++
		tell(outbox.RequestSent, false)
	case became("REMINDED"):
		tell(outbox.RequestSent, true)
	case became("ANSWERED") && before.State != "SCHEDULED":
		m.counts["answered"]++
	case became("OPTED_OUT"):
		m.counts["optedOut"]++
		tell(outbox.RequestOptedOut, false)
	case became("FAILED"):
		m.counts["failed"]++
		tell(outbox.RequestFailed, again)
	}
	if m.h.config.EventsAlone && became("SENT", "REMINDED") {
		now.tell = nil
	}
	if after.Announced != "" && after.Announced != before.Announced {
		tell(outbox.RequestDue, again)
	}
	m.counts["opened"] += one(after.Opened && !before.Opened)
	for _, e := range now.tell {
		m.h.marks.add("requests: " + string(e.kind))
	}
	if after.State != before.State {
		m.h.marks.add("a request became " + after.State)
	}
	m.requests[order] = append(m.requests[order], now)
}

// orderOver reports whether an order was returned or cancelled. The caller holds the lock.
func (m *model) orderOver(order string) bool { return m.orderNow(order).status > people.Delivered }

func stageOf(state string) string {
	if state == "SCHEDULED" {
		return "first"
	}
	return "reminder"
}

// announces notes an event about a request: it is made once, in the transaction of what it tells of.
func (m *model) announces(by *call, e *appended, it item) {
	of := askEvent{text(it, "order"), e.kind, truth(it, "again")}
	if of.kind == outbox.RequestOptedOut {
		of.again = false // either message may have made the buyer opt out
	}
	all := m.requests[of.order]
	switch first := m.told[of]; {
	case first != "":
		m.h.fail("requests", "", "%s made %s about order %s again: %s and %s", by, of.kind, of.order, first, e.id)
	case len(all) == 0 || !all[len(all)-1].at.Equal(e.at) || all[len(all)-1].by != by || !slices.Contains(all[len(all)-1].tell, of):
		m.h.fail("requests", "", "%s made %s about order %s, which its change of the request does not: %+v", by, of.kind, of.order, m.requestNow(of.order))
	}
	m.told[of] = e.id
}
