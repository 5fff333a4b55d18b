package requests

import (
	"context"
	"errors"
	"sync"
	"time"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/key/sealed"
	"product-comments/store/read/scan"
	"product-comments/store/table"
)

// Requests holds the review requests of a table. It is safe for concurrent use.
type Requests struct {
	t                 *table.Table
	contacts, optOuts *sealed.Keys

	events Events

	look chan struct{} // a request may be due

	mu   sync.Mutex
	hash []byte
}

// Events takes the events about requests.
type Events interface {
	// Announce returns the writes that append an event about the first message of an order's request, or
	// about the reminder.
	Announce(ctx context.Context, orderID, event string, reminder bool) ([]table.Write, error)
	// Appended is called after such writes took effect.
	Appended()
}

// New returns the requests of a table. keys seal contacts; without them no contact can be recorded or
// used.
func New(t *table.Table, keys *sealed.Set, events Events) *Requests {
	return &Requests{t: t, contacts: keys.Derive("contact"), optOuts: keys.Derive("opt-out"), events: events, look: make(chan struct{}, 1)}
}

// Events about requests.
const (
	eventDue      = "request.due"
	eventSent     = "request.sent"
	eventFailed   = "request.failed"
	eventOptedOut = "request.opted_out"
)

// New returns the write of the request of a new order, which may be delivered or over already.
func (r *Requests) New(orderID string, c Contact, delivered, over bool) (table.Write, error) {
	contact, err := r.seal(orderID, c)
	if err != nil {
		return table.Write{}, err
	}
	now := r.t.Now()
	q := Request{OrderID: orderID, State: Scheduled, Recorded: now, Contact: contact}
	q.advance(delivered, over, now)
	return q.put(r.t.Random()), nil
}

// advance changes the request after its order was delivered, or is over.
func (q *Request) advance(delivered, over bool, now time.Time) (changed bool) {
	switch {
	case !q.Live():
		return false
	case over:
		q.end(Cancelled, now)
	case q.State != Scheduled || !q.Due.IsZero() || !delivered && !q.Next.IsZero():
		return false
	case delivered: // a sender decides when it is due
		changed = q.Next.IsZero() || q.Next.After(now)
		q.Next = now
		return changed
	default:
		q.Next = q.expires()
	}
	return true
}

// Advance returns the write that changes an order's request after the order was delivered, is over, or
// got another contact; a zero Write for none.
func (r *Requests) Advance(ctx context.Context, orderID string, c *Contact, delivered, over bool) (w table.Write, err error) {
	q, err := r.Get(ctx, orderID)
	if err != nil || q == nil {
		return w, err
	}
	changed := q.advance(delivered, over, r.t.Now())
	if c != nil && !over && q.Contact != nil && q.Sent.IsZero() {
		contact, err := r.seal(orderID, *c)
		if err != nil {
			return w, err
		}
		changed = changed || string(contact) != string(q.Contact)
		q.Contact = contact
	}
	if !changed {
		return w, nil
	}
	return q.put(r.t.Random()), nil
}

// Remove returns the write that removes an order's request, as when its buyer is erased.
func Remove(orderID string) table.Write {
	return table.Write{Key: table.Key(key.Request(orderID)), Delete: true}
}

// Changed makes the sender of this process look for requests that are due.
func (r *Requests) Changed() {
	select {
	case r.look <- struct{}{}:
	default:
	}
}

// Get reads the request of an order, nil for none.
func (r *Requests) Get(ctx context.Context, orderID string) (*Request, error) {
	it, err := r.t.Get(ctx, "a review request", table.Key(key.Request(orderID)))
	if err != nil {
		return nil, err
	}
	return read(it)
}

// Of reads the requests of several orders, by order id.
func (r *Requests) Of(ctx context.Context, orderIDs []string) (map[string]*Request, error) {
	keys, all := make([]table.Item, len(orderIDs)), map[string]*Request{}
	for i, id := range orderIDs {
		keys[i] = table.Key(key.Request(id))
	}
	err := r.t.GetMany(ctx, keys, true, func(it table.Item) error {
		q, err := read(it)
		if err == nil {
			all[q.OrderID] = q
		}
		return err
	})
	return all, err
}

// Filter selects requests.
type Filter struct {
	State State // "" for all
	// Before selects those with Next before it; zero for all.
	Before time.Time
}

// Scope identifies the list of the requests that pass the filter, for cursors.
func (f Filter) Scope() string {
	return string(f.State) + "/" + key.SpellTime(f.Before)
}

// size is the assumed size of a request's keys in the index, in bytes.
const size = 150

func (f Filter) spans() (spans []key.Span) {
	states := States
	if f.State != "" {
		states = []State{f.State}
	}
	to := ""
	if !f.Before.IsZero() {
		to = key.Position{CreatedAt: f.Before}.SortKey()
	}
	for _, s := range states {
		for n := range key.RequestParts {
			spans = append(spans, key.Span{Partition: key.RequestPart(string(s), n), To: to})
		}
	}
	return spans
}

// List reads a window of the requests that pass a filter, in the order of Request.Next. One that has
// changed its state meanwhile may appear with the new one.
func (r *Requests) List(ctx context.Context, f Filter, w list.Window[key.Position]) (page list.Page[Request], err error) {
	w.Ascending = true
	at, err := scan.Page(ctx, r.t, false, f.spans(), size, w)
	if err != nil {
		return page, err
	}
	ids := make([]string, len(at.Items))
	for i, p := range at.Items {
		ids[i] = p.CommentID
	}
	found, err := r.Of(ctx, ids)
	if err != nil {
		return page, err
	}
	page = list.Map(at, func(p *key.Position) Request {
		if q := found[p.CommentID]; q != nil {
			q.Next = p.CreatedAt // its place in the list
			return *q
		}
		return Request{OrderID: p.CommentID, State: Cancelled, Next: p.CreatedAt} // removed meanwhile
	})
	return page, nil
}

// Position returns the place of a request in a list of requests.
func (q *Request) Position() key.Position { return q.position() }

// effects are what else a change of a request writes.
type effects struct {
	event string // about the request; "" for none
	stage stage  // of the event
	count string // of the month; "" for none
}

func notFound(orderID string) error {
	return errs.Errorf(errs.NotFound, "There is no review request of order %s: record the order with a contact", item.Printable(orderID))
}

// errSame says that a request needs no change.
var errSame = errors.New("nothing changes")

// change changes a request. decide changes what was read, and gives the effects, or errSame.
func (r *Requests) change(ctx context.Context, orderID string, decide func(*Request) (effects, error)) (q *Request, err error) {
	err = r.t.Race(ctx, "change a review request", func() error {
		if q, err = r.Get(ctx, orderID); err != nil {
			return err
		}
		if q == nil {
			return notFound(orderID)
		}
		with, err := decide(q)
		if err != nil {
			return err
		}
		return r.write(ctx, q, with)
	})
	if errors.Is(err, errSame) {
		err = nil
	}
	return q, err
}

// write stores a request that was read and changed. It returns a Refused error if another process
// has changed it since.
func (r *Requests) write(ctx context.Context, q *Request, with effects) error {
	writes := []table.Write{q.put(r.t.Random())}
	if with.count != "" {
		writes = append(writes, add(with.count, r.t.Now()))
	}
	if with.event != "" {
		more, err := r.events.Announce(ctx, q.OrderID, with.event, with.stage == reminder)
		if err != nil {
			return err
		}
		writes = append(writes, more...)
		defer r.events.Appended()
	}
	return r.t.WriteAll(ctx, "write a review request", writes...)
}

// Schedule makes a request due at a time that staff chose, whatever the hour; a time in the past is
// now. If the order is not delivered by then, its delivery begins the usual time. The error is NotFound if the order has no request,
// BadUserInput if the request ends before the time, and Conflict if its message was sent or the
// request has ended; but one that failed is scheduled again.
func (r *Requests) Schedule(ctx context.Context, orderID string, at time.Time) (*Request, error) {
	if now := r.t.Now(); at.Before(now) {
		at = now
	}
	q, err := r.change(ctx, orderID, func(q *Request) (effects, error) {
		if state := q.State; !q.again() {
			return effects{}, errs.Errorf(errs.Conflict, "The review request of order %s is %s: only a SCHEDULED one, or a FAILED one that sent nothing, can get another time", item.Printable(orderID), state)
		}
		if last := q.expires(); !at.Before(last) {
			return effects{}, errs.Invalid("at", "the request ends at %s: choose an earlier time", last.Format(time.RFC3339)).For(errs.OutOfRange)
		}
		q.Due, q.Chosen, q.Next = at, true, at
		if q.Taken.After(at) { // its message may be under way
			q.Next = q.Taken
		}
		return effects{}, nil
	})
	r.Changed()
	return q, err
}

// Cancel ends a request; one that has ended stays as it is. The error is NotFound if the order has no
// request.
func (r *Requests) Cancel(ctx context.Context, orderID string) (*Request, error) {
	return r.change(ctx, orderID, func(q *Request) (effects, error) {
		if !q.Live() {
			return effects{}, errSame
		}
		q.end(Cancelled, r.t.Now())
		return effects{}, nil
	})
}

// Answered notes that the buyer has written a comment. Only a request whose message was sent ends by
// it: before, other products of the order may be asked for.
func (r *Requests) Answered(ctx context.Context, orderID string) error {
	return r.note(ctx, orderID, func(q *Request) (effects, error) {
		if q.State != Sent && q.State != Reminded {
			return effects{}, errSame
		}
		q.end(Answered, r.t.Now())
		return effects{count: "answered"}, nil
	})
}

// Opened notes that a click opened a link of the request's message. It counts once.
func (r *Requests) Opened(ctx context.Context, orderID string) error {
	return r.note(ctx, orderID, func(q *Request) (effects, error) {
		if q.Opened || q.Sent.IsZero() {
			return effects{}, errSame
		}
		q.Opened = true
		return effects{count: "opened"}, nil
	})
}

// note is change for orders that need no request.
func (r *Requests) note(ctx context.Context, orderID string, decide func(*Request) (effects, error)) error {
	_, err := r.change(ctx, orderID, decide)
	if errs.CodeOf(err) == errs.NotFound {
		return nil
	}
	return err
}
