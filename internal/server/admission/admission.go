// Package admission bounds what one request, one client and all requests together may use.
//
// A request passes the stages in the order of this file: its connection, its client, its headers,
// the client's budgets, its body and time (of photos: upload.go), a slot to run in, its document, and the operation with
// its answer. docs/api.md and docs/deploy.md list the limits. A stage that refuses a request returns
// a *Rejection.
package admission

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/access"
	"product-comments/graph/document"
	"product-comments/store/errs"
)

// Limits are what operators and tests choose. A nil Budget or Pool, and 0 Connections, are no limit.
type Limits struct {
	Connections int // of all clients together, see Listener
	Proxies     Proxies
	Hosts       Hosts

	// Of a client in a minute: units, see Running, read capacity units, failures to authenticate,
	// uploads with tenths of a second of their processing, and reports without a token.
	CostBudget, ReadUnitBudget, FailureBudget, UploadBudget, NoticeBudget *Budget
	// Local limits also programs on this machine that use no proxy.
	Local bool

	// Of a request.
	Body      int64         // bytes of its body
	Timeout   time.Duration // until its answer is made
	Tokens    int           // of its document
	Depth     int           // levels of fields
	Cost      int           // see document.Operation
	Mutations int           // mutation fields of an operation
	ReadUnits int           // that its queries may consume
	Answer    int64         // bytes of an answer's data

	// Of all requests together.
	Bodies  *Pool // bytes of bodies under way
	Uploads *Pool // bytes of uploads under way
	Slots   *Pool // requests that run
	Answers *Pool // bytes of answers under way
}

// DefaultLimits are enough for front ends: a page of 100 comments with every field, or the first
// page of dozens of products.
//
// A page of 100 comments with the longest texts has 8 MB and takes 2,100 units.
var DefaultLimits = Limits{
	Body: 512 << 10, Tokens: document.Default.Tokens, Depth: document.Default.Depth, Cost: 10_000, Mutations: 10, Answer: 10 << 20,
	ReadUnits: 2500, Timeout: 10 * time.Second,
}

// Documents returns the options for reading documents of a schema.
func (l Limits) Documents(schema *ast.Schema, introspection bool) document.Options {
	parts := document.Default
	parts.Tokens, parts.Depth = l.Tokens, l.Depth
	return document.Options{Schema: schema, Limits: parts, Cost: l.Cost, Mutations: l.Mutations, Introspection: introspection}
}

// Admission has the stages of a request.
type Admission struct {
	Limits
	log    *slog.Logger
	warned atomic.Bool // about a proxy that is not trusted
}

// New returns the stages with limits.
func New(l Limits, log *slog.Logger) *Admission { return &Admission{Limits: l, log: log} }

// Visit is a request on its way through the stages.
type Visit struct {
	Client
	key string // of the client in budgets and pools; empty without limits

	Body []byte
	sent float64 // units charged for the request's bytes
	slot *Hold

	upload *Reservation
}

type visitKey struct{}

func (v Visit) in(ctx context.Context) context.Context { return context.WithValue(ctx, visitKey{}, v) }

// Of returns the visit of a request. Without the stage Client it is a program's on this machine.
func Of(ctx context.Context) Visit {
	v, ok := ctx.Value(visitKey{}).(Visit)
	v.Local = v.Local || !ok
	return v
}

// Listen is the stage of connections: it returns a listener that limits them, and calls refused with
// the reason of each that it refuses.
func (a *Admission) Listen(l net.Listener, refused func(reason string)) *Listener {
	return newListener(l, a.Connections, max(a.Connections/32, 1), a.Proxies, refused)
}

// Client is the stage that determines a request's client.
func (a *Admission) Client(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	c := a.Proxies.Client(r)
	if c.Addr.IsLoopback() && !c.Local && len(a.Proxies) == 0 && a.warned.CompareAndSwap(false, true) {
		a.log.WarnContext(r.Context(), "a proxy on this machine forwards requests and is not trusted, so its clients share one budget: configure --trusted-proxies")
	}
	v := Visit{Client: c, key: c.Key()}
	if c.Local && !a.Local {
		v.key = ""
	}
	next.ServeHTTP(w, r.WithContext(v.in(r.Context())))
	return nil
}

// As returns the context of a client with a token: its budgets are the subject's, from any address.
// The shop's services act for all its visitors and are not limited.
func (a *Admission) As(ctx context.Context, viewer access.Viewer) context.Context {
	v := Of(ctx)
	switch {
	case viewer.Role == access.Service:
		v.key = ""
	case v.key != "" && viewer.Subject != "":
		v.key = "subject " + viewer.Subject
	}
	return v.in(access.With(ctx, viewer))
}

// The server limits the bytes of the headers with the URL. Browsers behind a few proxies send 30
// header lines.
const (
	maxURL     = 8 << 10
	maxHeaders = 100 // lines
)

// Headers is the stage that limits the URL and the header lines and checks the host name.
func (a *Admission) Headers(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	lines := 0
	for _, values := range r.Header {
		lines += len(values)
	}
	if lines > maxHeaders {
		return Reject(http.StatusRequestHeaderFieldsTooLarge, "", errs.Exceeds("headers", int64(lines), maxHeaders, "The request has %d header lines, the limit is %d"))
	}
	if url := len(r.RequestURI); url > maxURL {
		return Reject(http.StatusRequestURITooLong, "", errs.Exceeds("url", int64(url), maxURL, "The URL has %d bytes, the limit is %d"))
	}
	if err := a.Hosts.check(r); err != nil {
		return err
	}
	next.ServeHTTP(w, r)
	return nil
}

// Rate is the stage that charges for a request, and refuses clients with an empty budget.
func (a *Admission) Rate(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	v := Of(r.Context())
	if _, ok := a.CostBudget.Reserve(v.key, requestCost, requestCost); !ok {
		return a.outOfCost(v)
	}
	if left := a.ReadUnitBudget.Peek(v.key, leastUnits); left.Wait > 0 {
		return rateLimited("read_units", "read units", left)
	}
	next.ServeHTTP(w, r)
	return nil
}

// Failures refuses a client that failed to authenticate too often. Others at its address that send
// no token are not refused, and do not displace such clients.
func (a *Admission) Failures(ctx context.Context) error {
	if left := a.FailureBudget.Peek(Of(ctx).key, 1); left.Wait > 0 {
		return rateLimited("auth_failures", "failed authentications", left)
	}
	return nil
}

// Failed counts a failure to authenticate.
func (a *Admission) Failed(ctx context.Context) { a.FailureBudget.Charge(Of(ctx).key, 1) }

// Notice charges for a report without a token, or refuses a client that has made too many.
func (a *Admission) Notice(ctx context.Context) error {
	client := Of(ctx).key
	if left := a.NoticeBudget.Peek(client, 1); left.Wait > 0 {
		return rateLimited("rate_limit", "reports without a token", left)
	}
	a.NoticeBudget.Charge(client, 1)
	return nil
}

// Charge charges units to the client of a request.
func (a *Admission) Charge(ctx context.Context, units float64) {
	a.CostBudget.Charge(Of(ctx).key, units)
}

// Body is the stage that limits the time of a request and reads its body. It comes before the slot,
// because a client may send slowly.
func (a *Admission) Body(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	ctx, cancel := context.WithTimeout(r.Context(), a.Timeout)
	defer cancel()
	v, body, memory := Of(ctx), &bytes.Buffer{}, holds{}
	defer memory.leave()
	err := a.read(ctx, body, r, http.MaxBytesReader(w, r.Body, a.Limits.Body), v, &memory)
	v.Body, v.sent = body.Bytes(), float64((body.Len()+len(r.URL.RawQuery))/bytesOfUnit)
	a.CostBudget.Charge(v.key, v.sent)
	if err != nil {
		w.Header().Set("Connection", "close") // the rest of the body is not read
		return err
	}
	next.ServeHTTP(w, r.WithContext(v.in(ctx)))
	return nil
}

// smallBody is the size in bytes up to which a body reserves no memory: nearly all bodies are
// smaller, and the number of connections bounds them. A larger one reserves all of its size, so that
// a few bodies complete where parts of many would wait for each other.
const smallBody = 16 << 10

func (a *Admission) read(ctx context.Context, body *bytes.Buffer, r *http.Request, from io.Reader, v Visit, memory *holds) error {
	_, err := io.CopyN(body, from, smallBody)
	if err == nil {
		size := a.Limits.Body // of a body without a Content-Length
		if r.ContentLength > 0 {
			size = min(size, r.ContentLength)
		}
		if err := memory.add(a.Bodies.Enter(ctx, v.key, size, false)); err != nil {
			if errors.Is(err, ErrShare) {
				return shareUsed("bodies", a.Bodies, "Your requests under way exceed %d bytes together, the limit: try again when some of them are answered")
			}
			return noMemory(err)
		}
		body.Grow(max(int(size)-body.Len(), 0) + bytes.MinRead) // the last read finds the end
		_, err = body.ReadFrom(from)
	}
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	return cutOff(err, r.ContentLength, a.Timeout)
}

// cutOff returns the error of a body that was not read to its end. size is what its client said, and
// within is the time that it had.
func cutOff(err error, size int64, within time.Duration) error {
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.As(err, &tooLarge):
		return bodyTooLarge(max(size, tooLarge.Limit+1), tooLarge.Limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return RetryLater(http.StatusRequestTimeout, errs.BadUserInput, "slow_body", busyTime,
			"The request's body arrived too slowly: all of it must arrive within %.0f s. Send it again, in smaller requests if the connection is slow", within.Seconds())
	default:
		return Malformed("", "the request body could not be read")
	}
}

func bodyTooLarge(size, limit int64) error {
	return Reject(http.StatusRequestEntityTooLarge, "", errs.Exceeds("body", size, limit, "the request's body has at least %d bytes, the limit is %d"))
}

// Slot is the stage that limits concurrent requests.
func (a *Admission) Slot(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	v := Of(r.Context())
	var err error
	v.slot, err = a.Slots.Enter(r.Context(), a.share(v), 1, false)
	switch {
	case errors.Is(err, ErrShare):
		return shareUsed("concurrency", a.Slots, "You have %d requests under way, the limit: try again when some of them are answered")
	case err != nil:
		return busy(err, "overload", "The server is overloaded, try again")
	}
	defer v.slot.Leave()
	next.ServeHTTP(w, r.WithContext(v.in(r.Context())))
	return nil
}

// share returns the client in the pools of slots and answers: a client without a budget may have
// all of them.
func (a *Admission) share(v Visit) string {
	if a.CostBudget == nil {
		return ""
	}
	return v.key
}

// Operation is the stage of an operation that may run: it reserves its cost and the memory for its
// answer. The caller must end it.
func (a *Admission) Operation(ctx context.Context, op document.Operation) (*Running, error) {
	v := Of(ctx)
	run := &Running{of: a, op: op, visit: v}
	bound := float64(op.Cost + (writeWeight-1)*op.WriteCost - requestCost)
	var ok bool
	if run.reserved, ok = a.CostBudget.Reserve(v.key, min(bound, leastKept), bound); !ok {
		return nil, a.outOfCost(v)
	}
	if run.reading, ok = a.ReadUnitBudget.Reserve(v.key, leastUnits, 0); !ok {
		run.reserved.Settle(0)
		return nil, rateLimited("read_units", "read units", a.ReadUnitBudget.Peek(v.key, leastUnits))
	}
	if err := run.memory.add(a.Answers.Enter(ctx, a.share(v), min(op.Weight, a.Answer), false)); err != nil {
		run.End()
		return nil, a.noAnswerMemory(err)
	}
	return run, nil
}
