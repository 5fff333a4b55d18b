package simulation

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/errs"
	"product-comments/store/key"
	people "product-comments/store/orders"
	mail "product-comments/store/orders/requests"
	"product-comments/store/simulation/double"
)

// someAddresses is how many addresses of mail buyers have, each in two spellings.
const someAddresses = 4

// contact draws whom to ask about an order, often no one.
func (a *act) contact() *mail.Contact {
	if !a.config.Requests || a.chance(0.2) {
		return nil
	}
	address := []string{"alex", "Alex"}[a.IntN(2)] + itoa(a.IntN(someAddresses)) + "@example.com"
	return &mail.Contact{Email: address, Name: "Alex", Language: a.language()}
}

// request is what becomes of the request of an order, or of the message of that number.
type request struct {
	Do      string // answer, opened, opt out, schedule, cancel
	Order   string
	Message int
	In      time.Duration
}

// requests does something to a request.
func requests(a *act) {
	o := a.theOrder(a.IntN(a.someOrders()))
	r := request{Do: []string{"answer", "answer", "opened", "opt out", "schedule", "cancel"}[a.IntN(6)], Order: o.ID, Message: a.IntN(100)}
	switch r.Do {
	case "cancel", "opt out":
		if a.chance(0.7) { // else no message would be sent
			return
		}
	case "schedule":
		r.In = a.duration(time.Second, time.Hour)
	case "answer":
		n := a.newComment(o.Lines[a.IntN(len(o.Lines))].ProductID, o.Username)
		n.IdempotencyKey = ""
		a.creates(n)
	}
	a.requests(r)
}

func (a *act) requests(r request) {
	m, all := a.model, a.server.store.Requests()
	order, token, address := r.Order, "", ""
	if r.Do == "opt out" {
		m.mu.Lock()
		if n := len(m.mails); n > 0 {
			one := m.mails[r.Message%n]
			order, token, address = one.order, one.token, one.address
		}
		m.mu.Unlock()
		if token == "" {
			return
		}
	}
	c, ctx := a.begin("request", r)
	c.does, c.optsOut = r.Do, address
	var err error
	switch r.Do {
	case "answer":
		err = all.Answered(ctx, r.Order)
	case "opened":
		err = all.Opened(ctx, r.Order)
	case "schedule":
		_, err = all.Schedule(ctx, r.Order, a.server.now().Add(r.In))
	case "cancel":
		_, err = all.Cancel(ctx, r.Order)
	case "opt out":
		err = all.OptOut(ctx, token)
	}
	a.end(c, err, "")
	switch {
	case err != nil && r.Do == "schedule":
		a.tolerable(c, err, errs.NotFound, errs.Conflict)
	case err != nil && r.Do == "cancel":
		a.tolerable(c, err, errs.NotFound)
	case err != nil:
		a.tolerable(c, err)
	case r.Do == "opt out":
		a.marks.add("a buyer opted out")
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.optOuts[address].IsZero() || m.requestNow(order).live() {
			a.fail("requests", "", "%s was acknowledged, and the request of %s is %+v", c, order, m.requestNow(order))
		}
	}
}

// observed is a client that knows when its process last began to read the request of an order.
type observed struct {
	*double.Client
	p *process
}

// GetItem is part of table.API.
func (o observed) GetItem(ctx context.Context, in *dynamodb.GetItemInput, with ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	if id, ok := key.RequestOf(text(in.Key, key.PK)); ok {
		o.p.mu.Lock()
		o.p.looked[id] = time.Now()
		o.p.mu.Unlock()
	}
	return o.Client.GetItem(ctx, in, with...)
}

// policy is when requests are sent.
func (h *history) policy() mail.Policy {
	c := h.config
	return mail.Policy{After: c.AskAfter, Reminder: c.RemindAfter, Hours: mail.Hours{From: c.FromHour, To: c.ToHour}, Zone: time.FixedZone("", int(c.ZoneOffset/time.Second))}
}

// sender returns a sender of requests.
func (p *process) sender() *mail.Sender {
	send := func(ctx context.Context, a *mail.Asking) error { return p.h.post(ctx, p, a) }
	if p.h.config.EventsAlone {
		send = nil
	}
	return p.store.RequestSender(p.h.policy(), send, p.log())
}

// asks lets a process send requests, until it is killed.
func (p *process) asks() {
	if p.h.config.Requests {
		s := p.sender()
		p.tasks.Go(func() { s.Run(context.WithValue(p.ctx, callKey{}, p.whole)) })
	}
}

// refusal is why the mail server does not take a message, or says that it does not.
type refusal struct{ permanent, outage bool }

func (r refusal) Error() string   { return "the mail server refuses" }
func (r refusal) Permanent() bool { return r.permanent }
func (r refusal) Outage() bool    { return r.outage }

// post is the mail server of all processes: most often it accepts a message.
func (h *history) post(ctx context.Context, p *process, a *mail.Asking) error {
	tries := h.model.asks(p, a)
	d := h.dice("mail" + a.ID + itoa(tries))
	ill := h.dice("mail" + time.Since(h.began).Truncate(10*time.Minute).String()).chance(0.2)
	took, answer, got := d.duration(time.Millisecond, 5*time.Second), error(nil), true
	switch {
	case h.isCalm():
	case ill:
		answer, got = refusal{outage: true}, false
	case d.chance(0.1):
		answer, got = refusal{}, false
	case d.chance(0.04):
		answer, got = refusal{permanent: true}, false
	case d.chance(0.1): // its answer is lost
		answer = refusal{outage: d.chance(0.5)}
	case d.chance(0.1): // it hangs
		took, got = time.Hour, d.chance(0.5)
	case d.chance(0.2):
		took = d.duration(10*time.Second, 4*time.Minute)
	}
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		answer = ctx.Err()
	case <-timer.C:
	}
	h.model.answered(p, a, got)
	return answer
}

// asked ends all processes but a function that sends requests, and checks what becomes of the requests
// that are left: each is sent, has failed or ended after days, and ends before its contact is too old.
func (h *history) asked() {
	if !h.config.Requests || h.failed() {
		return
	}
	h.killAll()
	p := h.start("function", 0)
	defer p.kill()
	s, ctx := p.sender(), context.WithValue(p.ctx, callKey{}, p.whole)
	pass := func(d, most time.Duration) {
		for pause, until := time.Minute, time.Now().Add(d); time.Now().Before(until) && !h.failed(); pause = min(pause*2, most) {
			if err := s.Drain(ctx); err != nil {
				h.fail("requests", "", "everything is quiet, but requests cannot be sent: %v", err)
			}
			h.sleep(pause)
		}
	}
	pass(3*24*time.Hour, 40*time.Minute)
	h.noneWaits()
	later := h.start("server", 0)
	a := &act{history: h, server: later, who: "later", where: "-"}
	n := 0
	for address := range h.model.optOuts { // the records are independent of each other
		a.recordsLater(n, address)
		n++
	}
	pass(3*24*time.Hour, 40*time.Minute)
	for n := range n {
		h.model.mu.Lock()
		if is := h.model.requestNow(laterOrder(n)); is.State != "OPTED_OUT" && !h.idle() {
			h.fail("requests", "", "the address of order %s had opted out, but its request is %+v", laterOrder(n), is)
		}
		h.model.mu.Unlock()
	}
	pass(mail.Kept+2*24*time.Hour, 19*time.Hour)
	h.requestsEnded()
}

func laterOrder(n int) string { return "later-" + itoa(n) }

// recordsLater records an order of an address that has opted out.
func (a *act) recordsLater(n int, address string) {
	o := a.theOrder(0)
	o.ID, o.Username, o.Status, o.Contact = laterOrder(n), "", people.Delivered, &mail.Contact{Email: strings.ToUpper(address[:1]) + address[1:]}
	o.Times[people.Delivered-1] = time.Now().UTC().Round(0)
	err := o.Validate()
	c, ctx := a.begin("record order", o)
	c.orders = func(string, placedOrder, placedOrder) string { return "" }
	c.contact = o.Contact.Email
	if err == nil {
		_, _, err = a.server.store.RecordOrder(ctx, o)
	}
	if a.end(c, err, ""); err != nil {
		a.fail("requests", "", "everything is quiet, but %s failed: %v", c, err)
	}
}
