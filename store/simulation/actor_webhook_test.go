package simulation

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"product-comments/store/errs"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
)

// webhookKeys seal the secrets of endpoints. All processes have the same.
var webhookKeys, _ = sealed.NewSet(bytes.Repeat([]byte("k"), sealed.MinSecret))

// hooking is what an operator does to an endpoint, which is the one of that number.
type hooking struct {
	Do       string // create, choose, disable, enable, delete, rotate, replay, test
	N        int
	Types    []outbox.Type
	Products []string
	Back     time.Duration // so far a replay goes
}

// webhooks changes the endpoints.
func webhooks(a *act) {
	n := len(a.model.endpointIDs())
	do := []string{"create", "create", "choose", "disable", "enable", "enable", "delete", "rotate", "replay", "replay", "test"}[a.IntN(11)]
	if n == 0 {
		do = "create"
	}
	h := hooking{Do: do, N: a.IntN(max(n, 1)), Types: outbox.Types, Back: a.duration(time.Second, 3*time.Hour)}
	if a.chance(0.3) {
		h.Types = outbox.Types[a.IntN(len(outbox.Types)-3):]
	}
	if a.chance(0.3) {
		h.Products = []string{a.product()}
	}
	a.hooks(h)
}

func (a *act) hooks(h hooking) {
	c, ctx := a.begin("webhooks", h)
	o, id := a.server.store.Outbox(), "none"
	if ids := a.model.endpointIDs(); len(ids) > 0 {
		id = ids[h.N%len(ids)]
	}
	since := time.Now().Add(-h.Back)
	var err error
	switch h.Do {
	case "create":
		_, _, err = o.Create(ctx, outbox.Endpoint{URL: "https://shop.example/" + itoa(c.number), Types: h.Types, Products: h.Products})
	case "choose":
		_, err = o.Update(ctx, id, outbox.Change{Types: h.Types, Products: &h.Products})
	case "disable", "enable":
		_, err = o.Update(ctx, id, outbox.Change{Enabled: new(h.Do == "enable")})
	case "delete":
		_, err = o.Delete(ctx, id)
	case "rotate":
		_, _, err = o.Rotate(ctx, id, time.Hour)
	case "replay":
		_, err = o.Replay(ctx, id, since)
	case "test":
		id, err = o.Test(ctx, id)
	}
	a.end(c, err, "%s", id)
	if err != nil {
		a.tolerable(c, err, errs.NotFound, errs.Conflict)
		return
	}
	a.marks.add("webhooks: " + h.Do)
	m := a.model
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case h.Do == "replay":
		m.replays = append(m.replays, replaying{id, since, c.began, c.ended})
	case h.Do == "test" && m.appended[id] == nil:
		a.fail("events", "", "%s was acknowledged, but there is no event %s", c, id)
	}
}

// replaying is a replay of the events of an endpoint.
type replaying struct {
	endpoint            string
	since, began, ended time.Time
}

var errRefused = errors.New("it answered 500")

// receive is what all endpoints do with events: most often they acknowledge them.
func (h *history) receive(ctx context.Context, p *outbox.Endpoint, e *outbox.Event) outbox.Outcome {
	m := h.model
	m.mu.Lock()
	times := m.attempts[[2]string{p.ID, e.ID}] + 1
	m.attempts[[2]string{p.ID, e.ID}] = times
	m.mu.Unlock()
	began := time.Now()
	d := h.dice(p.ID + e.ID + itoa(times))
	took, answer, got := d.duration(time.Millisecond, 300*time.Millisecond), outbox.Outcome{}, true
	ill := h.dice(p.ID + time.Since(h.began).Truncate(30*time.Second).String()).chance(0.2)
	switch {
	case h.isCalm():
	case ill && d.chance(0.9), d.chance(0.1):
		answer, got = outbox.Outcome{Err: errRefused}, false
	case d.chance(0.05):
		answer, got = outbox.Outcome{Err: errRefused, After: d.duration(time.Second, 3*time.Minute)}, false
	case d.chance(0.01):
		answer, got = outbox.Outcome{Err: errRefused, Gone: true}, false
		h.marks.add("an endpoint wanted no more events")
	case d.chance(0.05): // its answer is lost
		answer = outbox.Outcome{Err: errRefused}
	case d.chance(0.15):
		took = d.duration(time.Second, 15*time.Second)
	}
	timer := time.NewTimer(took)
	defer timer.Stop()
	select {
	case <-ctx.Done(): // the process ends
		return outbox.Outcome{Err: ctx.Err()}
	case <-timer.C:
	}
	if got {
		h.received(p, e, began)
	}
	return answer
}

// received checks an event that an endpoint got, and notes that it got it.
func (h *history) received(p *outbox.Endpoint, e *outbox.Event, began time.Time) {
	m := h.model
	m.mu.Lock()
	defer m.mu.Unlock()
	h.journal.add(p.ID, "  got", "%s %s, version %d", e.Type, e.ID, e.Version())
	of := m.appended[e.ID]
	if of == nil || of.kind != e.Type || !slices.Contains(of.versions, e.Version()) {
		h.fail("events", "", "endpoint %s got an event that is not in the outbox: %s %s, version %d", p.ID, e.Type, e.ID, e.Version())
		return
	}
	// The sender may know the endpoint from cached settings.
	wanted := slices.ContainsFunc(m.endpointDuring(p.ID, of.at.Add(-h.config.MetaAge), time.Now()), of.isFor)
	if !wanted {
		h.fail("events", of.about, "endpoint %s got %s %s, which it never wanted", p.ID, e.Type, e.ID)
	}
	if c := e.Comment; c != nil && (c.ID != of.about || c.Title != of.shows.title || c.Text != of.shows.text || c.Rating != of.shows.rating || c.Owner != "") {
		h.fail("events", of.about, "endpoint %s got %s %s with %+v, not %s", p.ID, e.Type, e.ID, c, of.shows)
	}
	who := [2]string{p.ID, e.ID}
	if len(m.receipts[who]) > 0 {
		h.marks.add("an event came again")
	}
	m.receipts[who] = append(m.receipts[who], began)
}

// sends lets a process send events, until it is killed.
func (p *process) sends() {
	if p.h.config.Webhooks {
		s := outbox.NewSender(p.store.Outbox(), outbox.Options{Send: p.h.receive, Log: p.log(), Poll: max(5*time.Second, p.h.config.Poll)})
		p.tasks.Go(func() { s.Run(context.WithValue(p.ctx, callKey{}, p.whole)) })
	}
}

// delivered ends all processes but a function that sends, and checks that it leaves nothing behind.
// Then all events expire.
func (h *history) delivered() {
	if !h.config.Webhooks {
		return
	}
	h.killAll()
	p := h.start("function", 0)
	s := outbox.NewSender(p.store.Outbox(), outbox.Options{Send: h.receive, Log: p.log()})
	ctx, missing := context.WithValue(p.ctx, callKey{}, p.whole), ""
	for pause, until := time.Minute, time.Now().Add(4*24*time.Hour); time.Now().Before(until); pause = min(pause*2, time.Hour) {
		if err := s.Drain(ctx); err != nil {
			h.fail("events", "", "everything is quiet, but events cannot be sent: %v", err)
		}
		if missing = h.undelivered(); missing == "" || !h.sleep(pause) {
			break
		}
	}
	if missing != "" {
		h.fail("events", "", "everything is quiet, but %s", missing)
	}
	if p.kill(); !h.sleep(9 * 24 * time.Hour) {
		return
	}
	for _, it := range h.db.Items() {
		if pk, sk := text(it, "PK"), text(it, "SK"); isEvent(pk, sk) || strings.HasPrefix(sk, "FAILED#") {
			h.fail("events", "", "it stays for ever: %s, %s", pk, sk)
		}
	}
}
