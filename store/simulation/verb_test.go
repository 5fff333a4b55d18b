package simulation

import (
	"context"
	"time"
)

// aside returns an act for what happens while the actor does something else.
func (a *act) aside(what string) *act {
	b := *a
	b.who += "-" + what
	return &b
}

// begin notes that a call of a verb begins, and returns its context.
func (a *act) begin(verb string, args any) (*call, context.Context) {
	h := a.history
	a.note(verb, args)
	h.mu.Lock()
	h.calls++
	h.underWay[verb]++
	c := &call{number: h.calls, verb: verb, args: args, process: a.server, began: time.Now()}
	h.mu.Unlock()
	h.journal.add(c.process.name, "begins", "%s", c)
	return c, context.WithValue(a.server.ctx, callKey{}, c)
}

// during reports whether a call of a verb is in progress.
func (h *history) during(verb string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.underWay[verb] > 0
}

// end notes how a call ended. A write that took effect is what its server must
// show from now on.
func (a *act) end(c *call, err error, format string, args ...any) {
	h, m := a.history, a.model
	h.mu.Lock()
	h.underWay[c.verb]--
	h.mu.Unlock()
	m.mu.Lock()
	c.ended, c.err = time.Now(), err
	for _, mo := range c.commits {
		if c.casts != nil { // lists do not show votes
			break
		}
		for _, s := range []*state{mo.before, mo.after} {
			if s != nil {
				c.process.noteWrite(s.product, asOf{kept: mo.at, own: c.ended})
			}
		}
	}
	if err != nil && len(c.commits) > 0 {
		h.marks.add("a write took effect and its call failed")
	}
	m.mu.Unlock()
	if err != nil {
		h.journal.add(c.process.name, "failed", "#%d: %v", c.number, err)
	} else {
		h.journal.add(c.process.name, "ended", "#%d: "+format, append([]any{c.number}, args...)...)
	}
}

func (p *process) noteWrite(product string, at asOf) {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.wrote[product]
	p.wrote[product] = asOf{later(was.kept, at.kept), later(was.own, at.own)}
}
