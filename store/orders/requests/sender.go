package requests

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"log/slog"
	"regexp"
	"strings"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/scan"
	"product-comments/store/table"
)

// Asking is a message that asks a buyer for reviews.
type Asking struct {
	// ID is of letters and digits, and the same for every repeat of the message.
	ID string
	Request
	To       Contact
	Subject  string   // the buyer
	Products []string // to review, at most MaxProducts
	Reminder bool
	Until    time.Time // when the links end
	OptOut   string    // the token with which the buyer opts out
}

// Options configure a sender. Order and Answered are required.
type Options struct {
	Policy
	// Send sends a message. An error with a method Permanent() bool that returns true ends the
	// request; one with Outage() bool that returns true concerns all messages. Nil if only events
	// leave.
	Send func(context.Context, *Asking) error
	// Order reads an order, strongly consistent.
	Order func(ctx context.Context, id string) (Order, error)
	// Answered returns which of some products a person has commented on.
	Answered func(ctx context.Context, subject string, products []string) (map[string]bool, error)
	// Idle reports whether no message can leave now, so that requests wait. Nil for never.
	Idle func(context.Context) (bool, error)
	Log  *slog.Logger // nil for no log
}

// Lease is how long a sender has for one message: another one repeats it then.
const Lease = 10 * time.Minute

const (
	// pageSize is the number of requests that a sender reads at a time.
	pageSize = 100
	// most is the longest time between two looks.
	most = time.Minute
)

// Sender sends the messages of requests that are due. Several senders of a table may run at once.
type Sender struct {
	r *Requests
	Options
}

// NewSender returns a sender. Run starts it.
func NewSender(r *Requests, o Options) *Sender {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Sender{r, o}
}

// Run sends messages until ctx ends, and returns when the one under way is sent. It logs failures and
// tries again.
func (s *Sender) Run(ctx context.Context) {
	ctx = table.Patiently(ctx)
	for ctx.Err() == nil {
		wait, err := s.look(ctx)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("review requests are delayed: the sender tries again", "error", err)
			wait = most
		}
		select {
		case <-ctx.Done():
		case <-s.r.look:
		case <-time.After(wait):
		}
	}
}

// Drain sends all messages that are due and returns, for a process that runs only now and then.
func (s *Sender) Drain(ctx context.Context) error {
	_, err := s.look(table.Patiently(ctx))
	return err
}

// look handles the requests whose time has come, and returns how long until the next.
func (s *Sender) look(ctx context.Context) (wait time.Duration, err error) {
	if s.Idle != nil {
		if idle, err := s.Idle(ctx); idle || err != nil {
			return most, err
		}
	}
	var spans []key.Span
	for _, state := range live {
		spans = append(spans, Filter{State: state}.spans()...)
	}
	w := list.Window[key.Position]{Limit: pageSize, Ascending: true}
	for {
		page, err := scan.Page(ctx, s.r.t, false, spans, size, w)
		if err != nil {
			return 0, err
		}
		for _, at := range page.Items {
			if wait := at.CreatedAt.Sub(s.r.t.Now()); wait > 0 {
				return min(wait, most), nil
			}
			if ctx.Err() != nil {
				return 0, ctx.Err()
			}
			if _, err := s.one(ctx, at.CommentID); err != nil {
				if isOutage(err) {
					return most, err
				}
				s.Log.Warn("a review request is delayed", "order", at.CommentID, "error", err)
			}
		}
		if !page.HasNext {
			return most, nil
		}
		w.After = &page.Items[len(page.Items)-1]
	}
}

func isOutage(err error) bool {
	var of interface{ Outage() bool }
	return errors.As(err, &of) && of.Outage() || errs.CodeOf(err) == errs.Unavailable
}

func isPermanent(err error) bool {
	var of interface{ Permanent() bool }
	return errors.As(err, &of) && of.Permanent()
}

// Now sends the message of one order's request at once, if it is due, and returns the request.
func (s *Sender) Now(ctx context.Context, orderID string) (*Request, error) {
	return s.one(ctx, orderID)
}

// one does what is next for a request: nothing if that is later.
func (s *Sender) one(ctx context.Context, orderID string) (q *Request, err error) {
	now := s.r.t.Now()
	if q, err = s.r.Get(ctx, orderID); err != nil || q == nil || !q.Live() || q.Next.After(now) {
		return q, err
	}
	is, a, err := s.know(ctx, q, q.stage())
	if err != nil {
		return q, err
	}
	before, with := q.State, effects{stage: q.stage()}
	if !s.decide(q, is, now) {
		switch {
		case q.State == OptedOut:
			with.event, with.count = eventOptedOut, "optedOut"
		case q.State == Answered && before != Scheduled:
			with.count = "answered"
		}
		return q, s.r.write(ctx, q, with)
	}
	if q.Announced != with.stage {
		q.Announced, with.event = with.stage, eventDue
	}
	if s.Send == nil { // the event is the message
		if s.settle(q, nil, false, now); with.stage == first {
			with.count = "sent"
		}
		return q, s.r.write(ctx, q, with)
	}
	q.Taken = now.Add(Lease)
	q.Next = q.Taken
	a.take(q)
	if err := s.r.write(ctx, q, with); err != nil {
		return q, err
	}
	return s.send(ctx, a)
}

// take gives the message the request as it was taken. The links of all messages of a request end at the
// same time.
func (a *Asking) take(q *Request) {
	a.Request, a.Until = *q, q.Due.Add(Valid).Truncate(time.Second)
}

// ending is how long a message under way may take after the sender was stopped.
const ending = 10 * time.Second

// send sends a message of a request that was taken, and marks it.
func (s *Sender) send(ctx context.Context, a *Asking) (q *Request, err error) {
	sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), Lease/2)
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(ending, cancel) })()
	why := quiet(s.Send(sending, a))
	if why != nil && (sending.Err() != nil || isOutage(why)) {
		return &a.Request, why // it is sent again after the lease
	}
	marking, cancel := context.WithTimeout(context.WithoutCancel(ctx), Lease/2)
	defer cancel()
	q, err = s.r.change(marking, a.OrderID, func(q *Request) (effects, error) {
		if !q.Live() || q.stage() != a.stage() { // it ended meanwhile, or another sender repeated the message
			return effects{}, errSame
		}
		with := effects{stage: a.stage(), event: eventSent}
		s.settle(q, why, isPermanent(why), s.r.t.Now())
		switch {
		case q.State == Failed:
			with.event, with.count = eventFailed, "failed"
			s.Log.Error("a review request could not be sent", "order", a.OrderID, "error", why)
		case why != nil:
			with.event = ""
			s.Log.Debug("a review request will be sent again", "order", a.OrderID, "error", why)
		case with.stage == first:
			with.count = "sent"
		}
		return with, nil
	})
	if errs.CodeOf(err) == errs.NotFound { // the buyer was erased meanwhile
		return nil, nil
	}
	return q, err
}

// quietError is an error without the addresses of people, which mail servers repeat in their answers.
type quietError struct{ error }

// addresses matches what may be an address.
var addresses = regexp.MustCompile(`[^\s<>"(),;:]+@[^\s<>"(),;:]+`)

// maxFailure is the maximum size of a failure in bytes.
const maxFailure = 500

func quiet(err error) error {
	if err == nil {
		return nil
	}
	return quietError{err}
}

// Error returns the text, shortened.
func (e quietError) Error() string {
	text := item.Printable(addresses.ReplaceAllString(e.error.Error(), "…"))
	if len(text) > maxFailure {
		text = strings.ToValidUTF8(text[:maxFailure], "") + "…"
	}
	return text
}

func (e quietError) Unwrap() error { return e.error }

// know reads what a decision about a request depends on, and makes one of its messages; nil if the
// order gets none now.
func (s *Sender) know(ctx context.Context, q *Request, of stage) (is known, a *Asking, err error) {
	if is.Order, err = s.Order(ctx, q.OrderID); err != nil || is.Over || is.Delivered.IsZero() {
		return is, nil, err
	}
	answered, err := s.Answered(ctx, is.Subject, is.Products)
	if err != nil {
		return is, nil, err
	}
	to, ok, err := s.r.Open(q)
	if err != nil || !ok {
		is.Over = true
		return is, nil, err
	}
	hash, err := s.r.hashOf(ctx, to)
	if err != nil {
		return is, nil, err
	}
	is.answered = len(answered)
	if is.optedOut, err = s.r.optedOut(ctx, hash); err != nil {
		return is, nil, err
	}
	a = &Asking{ID: messageID(q, of), Request: *q, To: to, Subject: is.Subject, Reminder: of == reminder}
	for _, product := range is.Products {
		if !answered[product] && len(a.Products) < MaxProducts {
			a.Products = append(a.Products, product)
		}
	}
	a.OptOut, err = s.r.optOutToken(hash, q.OrderID)
	return is, a, err
}

// messageID returns the ID of a message of a request.
func messageID(q *Request, of stage) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{q.OrderID, string(of), q.Recorded.Format(time.RFC3339Nano)}, "\x00")))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:15]))
}

// Message returns the message of an order's request, the first one or the reminder, whether it is due or
// not. The error is NotFound without a request, and Conflict if no message is to be sent any more.
func (s *Sender) Message(ctx context.Context, orderID string, reminds bool) (*Asking, error) {
	q, err := s.r.Get(ctx, orderID)
	if err != nil {
		return nil, err
	}
	if q == nil {
		return nil, notFound(orderID)
	}
	of := first
	if reminds {
		of = reminder
	}
	is, a, err := s.know(ctx, q, of)
	switch {
	case err != nil:
	case a != nil:
		if q.Due.IsZero() {
			q.Due = s.Good(is.Delivered.Add(s.After))
		}
		a.take(q)
	default:
		err = errs.Errorf(errs.Conflict, "Order %s gets no message: its request is %s, or it is not delivered", item.Printable(orderID), q.State)
	}
	return a, err
}
