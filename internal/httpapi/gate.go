package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/internal/gate"
)

// Gate bounds what many requests together may cost. The zero value bounds nothing,
// which is what most tests want.
type Gate struct {
	Proxies gate.Proxies
	Hosts   gate.Hosts
	URL     int // most bytes of a URL; no bound if 0
	Headers int // most bytes of all headers; no bound if 0

	Cost      Budget      // units: see spending
	ReadUnits Budget      // read capacity units
	Failures  Budget      // attempts to authenticate that failed
	Slots     *gate.Room  // requests that are worked at
	Memory    *gate.Room  // bytes of answers under way
	Bodies    *gate.Parts // bytes of bodies under way
}

// Budget is what a client may spend in a minute.
type Budget struct {
	*gate.Limiter      // nil for no limit
	Local         bool // also for programs on this machine that ask for themselves
}

// of returns the limiter for a client, nil if it is not limited.
func (b Budget) of(a asker) *gate.Limiter {
	if a.free || a.Local && !b.Local {
		return nil
	}
	return b.Limiter
}

type clientKey struct{}

// clientOf returns where a request comes from.
func clientOf(ctx context.Context) gate.Client {
	c, ok := ctx.Value(clientKey{}).(gate.Client)
	c.Local = c.Local || !ok // a handler that is called directly, without a network
	return c
}

// asker is who a request is counted for.
type asker struct {
	gate.Client
	key  string // in limiters
	free bool   // has no budgets, wherever it is
}

// askerOf returns who a request is counted for: the subject of its token, from whatever
// address, or else the address. The shop's own services ask for all its visitors, and
// are free. Tokens are verified before.
func askerOf(ctx context.Context) asker {
	a := addressOf(ctx)
	if v := access.From(ctx); v.Role == access.Service || v.Subject != "" {
		a.key, a.free = "subject "+v.Subject, v.Role == access.Service
	}
	return a
}

// addressOf returns the asker that is known before a token is verified.
func addressOf(ctx context.Context) asker {
	c := clientOf(ctx)
	return asker{Client: c, key: c.Key()}
}

// doorkeeper carries a Gate out, in the parts of a handler's chain below.
type doorkeeper struct {
	Gate
	tell   func(reason string) // nil for nobody
	log    *slog.Logger
	warned atomic.Bool // of a proxy that is not trusted
}

func newDoorkeeper(c Config) *doorkeeper {
	tell := c.Telemetry.Refused
	if c.Refused != nil {
		tell = func(reason string) { c.Telemetry.Refused(reason); c.Refused(reason) }
	}
	return &doorkeeper{Gate: c.Gate, tell: tell, log: c.Log}
}

// withClient finds out where a request comes from, once for all that need it.
func (g *doorkeeper) withClient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := g.Proxies.Client(r)
		if c.Addr.IsLoopback() && !c.Local && len(g.Proxies.Trusted) == 0 && g.warned.CompareAndSwap(false, true) {
			g.log.WarnContext(r.Context(), "a proxy on this machine forwards requests, and all its clients are counted as one: --trusted-proxies makes them known")
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientKey{}, c)))
	})
}

// withFailures sends away clients that have failed to authenticate too often. It
// stands outside of what checks credentials, and counts what that answers with 401.
func (g *doorkeeper) withFailures(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from := addressOf(r.Context())
		limit := g.Failures.of(from)
		if limit == nil || len(r.Header["Authorization"]) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		if left := limit.Peek(from.key, 1); left.Wait > 0 {
			g.refuse(w, r, rateLimited("auth_failures", "attempts to authenticate that failed", left))
			return
		}
		seen := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		if seen.status == http.StatusUnauthorized {
			limit.Charge(from.key, 1)
		}
	})
}

// withBudgets sends away clients that have nothing left.
func (g *doorkeeper) withBudgets(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := askerOf(r.Context())
		limit := g.Cost.of(a)
		if _, ok := limit.Take(a.key, requestCost); !ok {
			g.refuse(w, r, overspent(limit, a))
			return
		}
		if left := g.ReadUnits.of(a).Peek(a.key, 1); left.Wait > 0 {
			g.refuse(w, r, rateLimited("read_units", "read units", left))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// withSlot lets a bounded number of requests be worked at. The body is read before,
// since a client may take its time to send it; and the answer is sent after
// leaveSlot, since a client may take its time to read it.
func (g *doorkeeper) withSlot(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		forget, err := g.readWhole(w, r)
		if err != nil {
			w.Header().Set("Connection", "close") // what the client still sends is not read
			g.refuse(w, r, g.unread(err))
			return
		}
		defer forget()
		leave, err := g.Slots.Enter(r.Context(), 1)
		if err != nil {
			g.refuse(w, r, busy(err, reasonOverload, overloaded))
			return
		}
		defer leave()
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), slotKey{}, leave)))
	})
}

type slotKey struct{}

// leaveSlot tells that a request is worked at no more.
func leaveSlot(ctx context.Context) {
	if leave, ok := ctx.Value(slotKey{}).(func()); ok {
		leave()
	}
}

// What of a body is read at a time. The first piece takes no room in the memory: nearly
// all bodies are smaller, and the number of connections bounds these. Each further one
// takes room when it is about to come, and must come in time.
const (
	bodyPiece     = 16 << 10 // bytes
	bodyPieceTime = 5 * time.Second
)

// readWhole reads a request's body into memory, as far as there is room and the client
// sends it in time. What else is wrong with the body, whoever reads it next will see.
func (g *doorkeeper) readWhole(w http.ResponseWriter, r *http.Request) (forget func(), err error) {
	if r.Body == nil || r.Body == http.NoBody {
		return func() {}, nil
	}
	body := &wholeBody{pieces: [][]byte{make([]byte, 0, 512)}}
	if err := g.fill(body, w, r); err != nil {
		body.forget()
		return nil, err
	}
	r.Body = body
	return body.forget, nil
}

func (g *doorkeeper) fill(body *wholeBody, w http.ResponseWriter, r *http.Request) error {
	client := askerOf(r.Context()).key
	for {
		last := &body.pieces[len(body.pieces)-1]
		switch {
		case len(*last) < cap(*last):
		case len(*last) < bodyPiece: // the first
			*last = append(make([]byte, 0, 2*len(*last)), *last...)
		default:
			leave, err := g.Bodies.Enter(r.Context(), client, bodyPiece)
			if err != nil {
				return err
			}
			body.rooms = append(body.rooms, leave)
			body.pieces = append(body.pieces, make([]byte, 0, bodyPiece))
			last = &body.pieces[len(body.pieces)-1]
			expect(w, r)
		}
		n, err := r.Body.Read((*last)[len(*last):cap(*last)])
		*last = (*last)[:len(*last)+n]
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return err
		case err != nil:
			body.end = err
			return nil
		}
	}
}

// expect sets when the next piece must have come, never after the end of the request's
// time. Where a body ends the server itself forgets it.
func expect(w http.ResponseWriter, r *http.Request) {
	due := time.Now().Add(bodyPieceTime)
	if end, ok := r.Context().Deadline(); ok && due.After(end.Add(SendTime)) {
		due = end.Add(SendTime)
	}
	_ = http.NewResponseController(w).SetReadDeadline(due) // a test's writer has none
}

// unread says why a body was not read to its end.
func (g *doorkeeper) unread(err error) *turnedAway {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return tooSlow()
	case errors.Is(err, gate.ErrPart):
		return tooManyBodies(g.Bodies.Most())
	}
	return busy(err, reasonMemory, noMemory)
}

// wholeBody is a body that was read up to an error, which often is io.EOF.
type wholeBody struct {
	pieces [][]byte
	rooms  []func() // that it takes in the memory
	end    error
}

func (b *wholeBody) forget() {
	for _, leave := range b.rooms {
		leave()
	}
}

// Read is part of io.ReadCloser.
func (b *wholeBody) Read(p []byte) (int, error) {
	for len(b.pieces) > 0 {
		if n := copy(p, b.pieces[0]); n > 0 || len(p) == 0 {
			b.pieces[0] = b.pieces[0][n:]
			return n, nil
		}
		b.pieces = b.pieces[1:]
	}
	return 0, b.end
}

// Close is part of io.ReadCloser.
func (*wholeBody) Close() error { return nil }

// answers returns what making the answer to an operation may take, and what gives back
// the memory that is kept for it meanwhile. A mutation is not stopped for want of
// memory: what it has changed stays.
func (g *doorkeeper) answers(ctx context.Context, l Limits, of ast.Operation) (limits answer.Limits, forget func()) {
	limits = answer.Limits{Bytes: l.Answer, Steps: graph.MostSteps(l.Cost)}
	if of == ast.Mutation {
		return limits, func() {}
	}
	var rooms []func()
	limits.Keep = func() error {
		leave, err := g.Memory.EnterLarge(ctx, answer.StepsKept*answer.StepBytes)
		if err == nil {
			rooms = append(rooms, leave)
		}
		return err
	}
	return limits, func() {
		for _, leave := range rooms {
			leave()
		}
	}
}

// metrics returns the figures of what is bounded.
func (g *doorkeeper) metrics() []prometheus.Collector {
	var list []prometheus.Collector
	gauge := func(name, help string, value func() float64) {
		list = append(list, prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
	}
	if g.Slots != nil {
		gauge("product_comments_requests_running", "Requests that are worked at.",
			func() float64 { return float64(g.Slots.Occupancy().Inside) })
		gauge("product_comments_requests_running_limit", "How many requests may be worked at.",
			func() float64 { return float64(g.Slots.Occupancy().Capacity) })
		gauge("product_comments_requests_waiting", "Requests in the queue in front of those.",
			func() float64 { return float64(g.Slots.Occupancy().Waiting) })
	}
	if g.Memory != nil {
		gauge("product_comments_answer_bytes", "Memory that is kept for answers under way.",
			func() float64 { return float64(g.Memory.Occupancy().Inside) })
		gauge("product_comments_answer_bytes_limit", "How much memory may be kept for them.",
			func() float64 { return float64(g.Memory.Occupancy().Capacity) })
	}
	if g.Bodies != nil {
		gauge("product_comments_body_bytes", "Memory that bodies of requests under way take.",
			func() float64 { return float64(g.Bodies.Occupancy().Inside) })
		gauge("product_comments_body_bytes_limit", "How much memory they may take.",
			func() float64 { return float64(g.Bodies.Occupancy().Capacity) })
	}
	if g.Cost.Limiter != nil {
		gauge("product_comments_limited_clients", "Clients whose budgets are remembered.",
			func() float64 { return float64(g.Cost.Clients()) })
	}
	return list
}
