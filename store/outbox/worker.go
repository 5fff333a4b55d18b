package outbox

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"product-comments/store/table"
)

const (
	// page is the number of events that a worker delivers before it stores its progress.
	page = 100
	// pageBytes bounds the sizes of these events in the table, except for the last one.
	pageBytes = 4 << 20
	// underWay is the maximum number of requests of an endpoint at a time.
	underWay = 8
	// savedEvery bounds how long a worker keeps to itself that it passed events that its endpoint does
	// not want.
	savedEvery = time.Minute
)

// worker delivers the events of one endpoint. One goroutine runs it.
type worker struct {
	*Sender
	stop  context.CancelFunc
	ready chan struct{} // there may be something to do

	progress Progress
	loaded   bool
	begun    int // of the endpoint when the progress was loaded
	saved    time.Time
	tried    time.Time // of the last attempt
	first    Cursors   // in each lane, the first event after the cursor, if it is after it

	mu       sync.Mutex
	endpoint Endpoint
	heads    Cursors
	oldest   time.Time // see Status
}

// see sets the endpoint and the ends of the lanes, and makes the worker look at them.
func (w *worker) see(p Endpoint, heads Cursors) {
	w.mu.Lock()
	w.endpoint, w.heads = p, heads
	w.mu.Unlock()
	select {
	case w.ready <- struct{}{}:
	default:
	}
}

func (w *worker) waiting() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.oldest
}

func (w *worker) run(ctx context.Context, endpoint string) {
	for wait := time.Duration(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-w.ready:
		case <-time.After(wait):
		}
		more, next, err := w.batch(ctx)
		for more && err == nil && ctx.Err() == nil {
			more, next, err = w.batch(ctx)
		}
		if wait = next; err != nil && ctx.Err() == nil {
			w.Log.Warn("webhooks are delayed: the sender tries again", "endpoint", endpoint, "error", err)
			w.loaded, wait = false, table.MostPause
		}
	}
}

// job is an event to send.
type job struct {
	Retry
	event   Event
	again   bool // it is one of the retries
	outcome Outcome
	tried   bool
}

// batch delivers events that are due, and stores the progress. more is true if there may be others
// now; otherwise next is how long until some are due.
func (w *worker) batch(ctx context.Context) (more bool, next time.Duration, err error) {
	w.mu.Lock()
	p, heads := w.endpoint, w.heads
	w.mu.Unlock()
	if !w.loaded || w.begun != p.Begun {
		if w.progress, err = w.o.Progress(ctx, p.ID); err != nil {
			return false, 0, err
		}
		if w.progress.revision == 0 { // the endpoint was deleted, which this process learns soon
			return false, time.Hour, nil
		}
		w.loaded, w.begun, w.saved, w.first = true, p.Begun, w.o.t.Now(), Cursors{}
	}
	jobs, next, err := w.retries(ctx)
	if err != nil {
		return false, 0, err
	}
	passed := w.progress.Cursors
	if room := w.room(len(jobs)); room > 0 && !w.progress.Until.After(w.o.t.Now()) {
		var fresh []*job
		if fresh, passed, err = w.fresh(ctx, &p, heads, room); err != nil {
			return false, 0, err
		}
		jobs = append(jobs, fresh...)
	}
	w.send(ctx, &p, jobs)
	if err := w.settle(context.WithoutCancel(ctx), &p, jobs, passed); err != nil {
		return false, 0, err
	}
	w.note(ctx, heads)
	if wait := w.progress.Until.Sub(w.o.t.Now()); wait > 0 {
		return false, wait, nil
	}
	return len(jobs) > 0 || w.room(0) > 0 && w.progress.Cursors.before(heads), next, nil
}

// before reports whether there is an event between the cursors and others.
func (c *Cursors) before(o Cursors) bool {
	for lane := range c {
		if c[lane] < o[lane] {
			return true
		}
	}
	return false
}

// room returns how many new events may be read.
func (w *worker) room(retrying int) int {
	switch p := &w.progress; {
	case p.isDown() && len(p.Retries) > 0:
		return 0
	case p.isDown():
		return 1
	default:
		return min(page-retrying, maxRetries-len(p.Retries))
	}
}

// retries returns the events to send again now, without expired ones.
func (w *worker) retries(ctx context.Context) (jobs []*job, next time.Duration, err error) {
	due, next := w.progress.due(w.o.t.Now(), w.tried)
	for _, r := range due {
		events, err := w.o.Events(ctx, r.Lane, r.At-1, 1)
		if err != nil {
			return nil, 0, err
		}
		if len(events) == 0 || int(events[0].Version()) != r.At {
			w.progress.Retries = slices.DeleteFunc(w.progress.Retries, r.same)
			continue
		}
		jobs = append(jobs, &job{Retry: r, event: events[0], again: true})
	}
	return jobs, next, nil
}

// same reports whether two retries are of the same event.
func (r Retry) same(o Retry) bool { return r.Lane == o.Lane && r.At == o.At }

// fresh reads at most room new events that the endpoint wants. passed are the cursors after them.
func (w *worker) fresh(ctx context.Context, p *Endpoint, heads Cursors, room int) (jobs []*job, passed Cursors, err error) {
	passed = w.progress.Cursors
	size := 0
	for lane := range heads {
		for passed[lane] < heads[lane] && len(jobs) < room && size < pageBytes {
			events, err := w.o.Events(ctx, lane, passed[lane], page)
			if err != nil {
				return nil, passed, err
			}
			if len(events) == 0 { // all others have expired
				passed[lane] = heads[lane]
			}
			for _, e := range events {
				if len(jobs) == room || size >= pageBytes {
					return jobs, passed, nil
				}
				at := int(e.Version())
				if at > heads[lane] { // appended since the look, so the endpoint may not want it any more
					passed[lane] = heads[lane]
					break
				}
				if passed[lane] = at; p.Wants(&e) {
					size += e.size
					jobs = append(jobs, &job{Retry: Retry{Lane: lane, At: at}, event: e})
				}
			}
		}
	}
	return jobs, passed, nil
}

// send sends the events of jobs, in their order but several at a time. It stops early if the
// endpoint seems to be down, or wants no more requests for now.
func (w *worker) send(ctx context.Context, p *Endpoint, jobs []*job) {
	var sending sync.WaitGroup
	slots := make(chan struct{}, underWay)
	var failures atomic.Int64
	failures.Store(int64(w.progress.Failures))
	var stopped atomic.Bool
	isDown := w.progress.isDown() // then jobs has one that asks
	for _, j := range jobs {
		slots <- struct{}{}
		if stopped.Load() || failures.Load() >= down && !isDown || ctx.Err() != nil {
			break
		}
		sending.Go(func() {
			defer func() { <-slots }()
			j.outcome = w.Send(ctx, p, &j.event)
			if j.tried = j.outcome.Err == nil || ctx.Err() == nil; j.outcome.Err == nil {
				failures.Store(0)
			} else {
				failures.Add(1)
			}
			if j.outcome.After > 0 || j.outcome.Gone {
				stopped.Store(true)
			}
		})
	}
	sending.Wait()
	if len(jobs) > 0 {
		w.tried = w.o.t.Now()
	}
}

// settle updates and stores the progress after jobs were sent.
func (w *worker) settle(ctx context.Context, p *Endpoint, jobs []*job, passed Cursors) error {
	now, before := w.o.t.Now(), w.progress.Cursors
	next := w.progress
	next.Retries, next.Cursors = slices.Clone(next.Retries), passed
	succeeded, failed, gone := 0, 0, false
	for _, j := range jobs {
		if !j.tried {
			if !j.again && next.Cursors[j.Lane] >= j.At { // it is read again
				next.Cursors[j.Lane] = j.At - 1
			}
			continue
		}
		if j.again {
			next.Retries = slices.DeleteFunc(next.Retries, j.same)
		}
		if j.outcome.Err == nil {
			succeeded++
			w.delivered(p.ID, Sent)
			continue
		}
		failed, gone = failed+1, gone || j.outcome.Gone
		next.Reason = j.outcome.Err.Error()
		retry, ok := j.failed(now, w.o.t.Random())
		if ok && !gone {
			next.Retries = append(next.Retries, retry)
			w.delivered(p.ID, Retried)
			level := slog.LevelDebug
			if w.progress.Failing.IsZero() && failed == 1 {
				level = slog.LevelWarn // others follow as long as none succeeds
			}
			w.Log.Log(ctx, level, "a webhook failed and will be sent again", "endpoint", p.ID, "event", j.event.ID, "type", j.event.Type, "error", j.outcome.Err)
		} else {
			err := w.o.fail(ctx, p.ID, Failure{j.event.At, j.event.Type, retry.Attempts, j.outcome.Err.Error()})
			if err != nil {
				return err
			}
			w.delivered(p.ID, Failed)
			w.Log.Error("a webhook could not be delivered", "endpoint", p.ID, "event", j.event.ID, "type", j.event.Type, "error", j.outcome.Err)
		}
		if j.outcome.After > 0 {
			next.Until = now.Add(min(j.outcome.After, longestAfter)).UTC()
		}
	}
	next.settle(now, succeeded, failed)
	if len(jobs) > 0 || next.Cursors != before && now.Sub(w.saved) >= savedEvery {
		var err error
		if next, err = w.o.save(ctx, p.ID, next); err != nil {
			return err
		}
		w.saved = now
	}
	w.progress = next
	switch {
	case gone:
		return w.disable(ctx, p, "it answered 410 Gone")
	case !next.Failing.IsZero() && now.Sub(next.Failing) > givenUp:
		return w.disable(ctx, p, "all deliveries have failed for five days")
	}
	return nil
}

// note keeps the time of the oldest event that is not delivered. Events that wait in a lane are not
// all read for it: the first one counts, although the endpoint may not want it.
func (w *worker) note(ctx context.Context, heads Cursors) {
	var waiting []int
	for _, r := range w.progress.Retries {
		waiting = append(waiting, r.At)
	}
	for lane, after := range w.progress.Cursors {
		if after < heads[lane] && w.first[lane] <= after {
			events, err := w.o.Events(ctx, lane, after, 1)
			if err != nil || len(events) == 0 {
				continue // the next batch asks again
			}
			w.first[lane] = int(events[0].Version())
		}
		if after < heads[lane] {
			waiting = append(waiting, w.first[lane])
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.oldest = time.Time{}
	if len(waiting) > 0 {
		w.oldest = time.UnixMicro(int64(slices.Min(waiting)))
	}
}

func (w *worker) delivered(endpoint string, r Result) {
	if w.Delivered != nil {
		w.Delivered(endpoint, r)
	}
}

func (w *worker) disable(ctx context.Context, p *Endpoint, why string) error {
	disabled, err := w.o.disable(ctx, p, why)
	if disabled {
		w.Log.Error("a webhook endpoint was disabled", "endpoint", p.ID, "why", why)
	}
	return err
}
