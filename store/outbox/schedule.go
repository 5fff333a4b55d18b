package outbox

import (
	"slices"
	"time"

	"product-comments/store/table"
)

// schedule are the pauses before the attempts after the first, as Standard Webhooks recommends.
var schedule = []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}

const (
	// down is the number of deliveries that fail in a row until an endpoint counts as down: then one
	// event is tried at a time, at least every probe, and the others wait in the outbox.
	down  = 8
	probe = 5 * time.Minute
	// maxRetries bounds the events of an endpoint that are tried again while others are delivered.
	maxRetries = 100
	// givenUp is how long all deliveries fail until an endpoint is disabled.
	givenUp = 5 * 24 * time.Hour
	// longestAfter bounds how long an endpoint may ask for no requests.
	longestAfter = 24 * time.Hour
)

// isDown reports whether the endpoint seems to be down.
func (p *Progress) isDown() bool { return p.Failures >= down }

// due returns the retries to try now, and how long until the next one. tried is the time of the
// last attempt of any event.
func (p *Progress) due(now, tried time.Time) (due []Retry, next time.Duration) {
	if wait := p.Until.Sub(now); wait > 0 {
		return nil, wait
	}
	next = time.Hour // a look for events comes first
	for _, r := range p.Retries {
		at := r.Due
		if p.isDown() && at.After(tried.Add(probe)) {
			at = tried.Add(probe)
		}
		if wait := at.Sub(now); wait > 0 {
			next = min(next, wait)
		} else {
			due = append(due, r)
		}
	}
	slices.SortStableFunc(due, func(a, b Retry) int { return a.Due.Compare(b.Due) })
	if p.isDown() && len(due) > 1 {
		due = due[:1]
	}
	return due, next
}

// failed returns the retry after an attempt that failed; ok is false if it was the last one. An
// attempt before its time only asks whether the endpoint is up again, and does not count.
func (r Retry) failed(now time.Time, random *table.Random) (next Retry, ok bool) {
	if now.Before(r.Due) {
		return r, true
	}
	r.Attempts++
	if r.Attempts > len(schedule) {
		return r, false
	}
	pause := schedule[r.Attempts-1]
	r.Due = now.Add(pause + time.Duration(random.Int64N(int64(pause)/5))).UTC()
	return r, true
}

// recover forgets the failures.
func (p *Progress) recover() { p.Failures, p.Failing, p.Reason = 0, time.Time{}, "" }

// settle counts the attempts of a batch: how many succeeded and failed.
func (p *Progress) settle(now time.Time, succeeded, failed int) {
	switch {
	case succeeded > 0:
		if p.isDown() { // it is up again: nothing needs to wait for its turn
			for i := range p.Retries {
				p.Retries[i].Due = now
			}
		}
		p.recover()
	case failed > 0:
		if p.Failures += failed; p.Failing.IsZero() {
			p.Failing = now.UTC()
		}
	}
}
