package requests

import "time"

// Order is what a sender knows of an order.
type Order struct {
	Subject   string
	Delivered time.Time // zero if it was not delivered
	Over      bool      // returned, cancelled, erased or unknown
	Products  []string
}

// known is what a decision depends on, in addition to the request.
type known struct {
	Order
	answered int // products with a comment of the buyer
	optedOut bool
}

// tooLate is how long after it is due a message is still sent, as after an outage.
const tooLate = 30 * 24 * time.Hour

// decide changes a request by what is known now. It reports whether a message is to be sent at once;
// if not, the request has ended, or Next is later than now.
func (p Policy) decide(q *Request, is known, now time.Time) (send bool) {
	switch {
	case is.Over:
		q.end(Cancelled, now)
		return false
	case q.State == Scheduled && is.answered > 0 && is.answered == len(is.Products), q.State != Scheduled && is.answered > 0:
		q.end(Answered, now)
		return false
	case !now.Before(q.expires()):
		q.end(Expired, now)
		return false
	case is.Delivered.IsZero(): // a time that staff chose has passed: the delivery begins the usual one
		q.Due, q.Chosen, q.Next = time.Time{}, false, q.expires()
		return false
	}
	due := q.Due
	switch {
	case q.State == Scheduled && due.IsZero():
		q.Due = p.Good(is.Delivered.Add(p.After))
		due = q.Due
	case q.State == Sent && p.Reminder > 0:
		due = p.Good(q.Sent.Add(p.Reminder))
	case q.State != Scheduled:
		q.Next = q.expires()
		return false
	}
	switch good := p.Good(now); {
	case is.optedOut && !now.Before(due):
		q.end(OptedOut, now)
	case now.Sub(due) > tooLate && q.State == Scheduled:
		q.end(Expired, now)
	case now.Sub(due) > tooLate:
		q.Next = q.expires()
	case now.Before(due):
		q.Next = due
	case good.After(now) && (!q.Chosen || q.State != Scheduled):
		q.Next = good
	default:
		return true
	}
	return false
}

// pauses are the times between attempts to send a message that a server refuses for now.
var pauses = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour}

// givenUp is how long a message is tried again.
const givenUp = 24 * time.Hour

// settle changes a request after an attempt to send its message: why is nil if it was sent. permanent
// says that another attempt would fail, too.
func (p Policy) settle(q *Request, why error, permanent bool, now time.Time) {
	q.Taken = time.Time{}
	if why != nil {
		if q.Failing.IsZero() {
			q.Failing = now
		}
		q.Failure = why.Error()
		q.Attempts++
		q.Next = now.Add(pauses[min(q.Attempts, len(pauses))-1])
		if contact := q.Contact; permanent || now.Sub(q.Failing) >= givenUp {
			if q.end(Failed, now); q.Sent.IsZero() {
				q.Contact = contact // for another try: see again
			}
		}
		return
	}
	q.Failing, q.Failure, q.Attempts = time.Time{}, "", 0
	if q.State == Scheduled {
		q.State, q.Sent, q.Next = Sent, now, now.Add(Valid)
		if p.Reminder > 0 {
			q.Next = p.Good(now.Add(p.Reminder))
		}
	} else {
		q.State, q.Reminded = Reminded, now
		q.Next = q.expires()
	}
}

// again reports whether the first message of a request can get another time: of a scheduled one, or
// of one that failed before anything was sent and still has its contact, which is then scheduled.
func (q *Request) again() bool {
	if q.State == Failed && q.Contact != nil { // which it has if nothing was sent
		q.State, q.Failing, q.Attempts, q.Announced = Scheduled, time.Time{}, 0, ""
	}
	return q.State == Scheduled
}
