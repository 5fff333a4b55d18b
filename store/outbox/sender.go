package outbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"log/slog"
	"slices"
	"sync"
	"time"

	"product-comments/store/key"
	"product-comments/store/table"
)

// Outcome is the result of sending an event.
type Outcome struct {
	Err   error         // nil if the endpoint acknowledged the event
	After time.Duration // how long the endpoint wants no requests; 0 if it did not say
	Gone  bool          // the endpoint wants no more events
}

// Options configure a sender. Send is required.
type Options struct {
	// Send sends an event to an endpoint and returns when that has answered. Several goroutines
	// call it at once.
	Send func(context.Context, *Endpoint, *Event) Outcome
	Log  *slog.Logger // nil for no log
	// Poll is the time between two looks for events of other processes; 5 seconds if zero. A
	// process that projects sends its own events at once.
	Poll time.Duration
	// Delivered, unless nil, is called after each delivery.
	Delivered func(endpoint string, r Result)
}

// Result is what became of a delivery.
type Result string

// The results. Metrics have them as labels.
const (
	Sent    Result = "sent"
	Retried Result = "retried" // it failed, and the event will be sent again
	Failed  Result = "failed"  // for the last time
)

// A process that has not renewed its claim for lease has ended or hangs: another one takes over.
const (
	renew = 10 * time.Second
	lease = 3 * renew
)

// Sender delivers events to endpoints. Of all senders of a table, one delivers at a time; another
// one takes over when it ends.
type Sender struct {
	o  *Outbox
	by string
	Options

	claims   table.Sightings[int]
	revision int       // of the claim, if it is ours
	renewed  time.Time // zero if the claim is not ours

	mu      sync.Mutex
	workers map[string]*worker
}

// NewSender returns a sender of the outbox's events. Run starts it.
func NewSender(o *Outbox, options Options) *Sender {
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	options.Poll = cmp.Or(options.Poll, 5*time.Second)
	return &Sender{o: o, by: rand.Text(), Options: options, workers: map[string]*worker{}}
}

// Run delivers events until ctx ends, and returns when the deliveries under way have ended. It must
// be called once. It logs failures and tries again.
func (s *Sender) Run(ctx context.Context) {
	ctx = table.Patiently(ctx)
	var running sync.WaitGroup
	defer func() { s.stop(); running.Wait(); s.release(context.WithoutCancel(ctx)) }()
	for ctx.Err() == nil {
		if err := s.look(ctx, &running); err != nil && ctx.Err() == nil {
			s.Log.Warn("webhooks are delayed: the sender tries again", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-s.o.look:
		case <-time.After(s.Poll):
		}
	}
}

// look makes a worker deliver to each endpoint, while the claim is ours.
func (s *Sender) look(ctx context.Context, running *sync.WaitGroup) error {
	endpoints, heads, err := s.claimed(ctx)
	// After a failed read the workers continue for as long as no other process can have the claim.
	if len(endpoints) == 0 && (err == nil || !s.held(s.o.t.Now())) {
		s.stop()
	}
	if err != nil || len(endpoints) == 0 {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		if !slices.ContainsFunc(endpoints, func(p Endpoint) bool { return p.ID == id }) {
			w.stop()
			delete(s.workers, id)
		}
	}
	for _, p := range endpoints {
		w := s.workers[p.ID]
		if w == nil {
			w = &worker{Sender: s, ready: make(chan struct{}, 1)}
			working, stop := context.WithCancel(ctx)
			w.stop, s.workers[p.ID] = stop, w
			running.Go(func() { w.run(working, p.ID) })
		}
		w.see(p, heads)
	}
	return nil
}

// claimed returns the endpoints that this process delivers to, none if another process delivers, and the ends of the lanes.
// The endpoints are read after the ends, so that none gets an event that was appended after it was
// disabled, but for the age of cached settings.
func (s *Sender) claimed(ctx context.Context) (endpoints []Endpoint, heads Cursors, err error) {
	if endpoints, err = s.enabled(ctx); err != nil || len(endpoints) == 0 {
		return nil, heads, err
	}
	if held, err := s.claim(ctx); !held {
		return nil, heads, err
	}
	if heads, err = s.o.Heads(ctx); err != nil {
		return nil, heads, err
	}
	endpoints, err = s.enabled(ctx)
	return endpoints, heads, err
}

func (s *Sender) enabled(ctx context.Context) ([]Endpoint, error) {
	all, err := s.o.Current(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(p Endpoint) bool { return p.Disabled != "" }), err
}

// stop makes all workers end.
func (s *Sender) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		w.stop()
		delete(s.workers, id)
	}
}

// Drain delivers all events that are due and returns, for a process that runs only now and then. It
// does nothing while another process delivers.
func (s *Sender) Drain(ctx context.Context) error {
	defer s.release(context.WithoutCancel(ctx))
	endpoints, heads, err := s.claimed(ctx)
	if err != nil {
		return err
	}
	draining, stop := context.WithCancel(ctx)
	var renewing, working sync.WaitGroup
	renewing.Go(func() {
		for held := true; held && table.Sleep(draining, renew) == nil; {
			held, _ = s.claim(draining)
		}
		stop()
	})
	failed := make([]error, len(endpoints))
	for i, p := range endpoints {
		working.Go(func() {
			w := &worker{Sender: s}
			w.see(p, heads)
			for more := true; more && failed[i] == nil && draining.Err() == nil; {
				more, _, failed[i] = w.batch(draining)
			}
		})
	}
	working.Wait()
	stop()
	renewing.Wait()
	return cmp.Or(failed...)
}

// attrBy is the attribute of the claim with the random name of the process that delivers, S.
const attrBy = "by"

// claim claims the deliveries for this process, or renews its claim. held is false if another process
// has them.
func (s *Sender) claim(ctx context.Context) (held bool, err error) {
	now := s.o.t.Now()
	if s.held(now) && now.Sub(s.renewed) < renew {
		return true, nil
	}
	before := s.revision
	if s.renewed.IsZero() {
		it, err := s.o.t.Get(ctx, "the claim of a sender", table.Key(key.Sender))
		if err != nil {
			return false, err
		}
		if before, err = table.Number(it, attrRevision); err != nil {
			return false, err
		}
		if before != 0 && s.claims.Alone(now, before) < lease {
			return false, nil
		}
	}
	it := table.Key(key.Sender)
	it[attrBy] = table.S(s.by)
	revision, held, err := s.o.t.Note(ctx, "claim the deliveries", it, attrRevision, before)
	switch {
	case held:
		s.revision, s.renewed = revision, now
	case err == nil || !s.held(now):
		s.renewed = time.Time{}
	}
	return held || err != nil && s.held(now), err
}

// held reports whether no other process can have taken the claim over.
func (s *Sender) held(now time.Time) bool {
	return !s.renewed.IsZero() && now.Sub(s.renewed) < lease && !now.Before(s.renewed)
}

// release gives the claim up, so that another process takes over at once.
func (s *Sender) release(ctx context.Context) {
	if s.renewed.IsZero() {
		return
	}
	s.renewed = time.Time{}
	_ = s.o.t.Write(ctx, "give up the deliveries", // otherwise the claim ends by itself
		table.Write{Key: table.Key(key.Sender), Delete: true}.IfRevision(attrRevision, s.revision))
}

// Status is the state of the delivery to an endpoint.
type Status struct {
	Endpoint string
	// Oldest is the time of the oldest event that is neither acknowledged nor failed; zero for none.
	Oldest time.Time
}

// Status returns the state of the deliveries of this process.
func (s *Sender) Status() (all []Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.workers {
		all = append(all, Status{id, w.waiting()})
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.Endpoint, b.Endpoint) })
	return all
}
