// Package telemetry is what operators see of a process: figures for Prometheus,
// traces for OpenTelemetry, and a line in the log for each slow or dear page.
//
// It receives what happens and decides nothing. Counting on the way of a request is
// a few look-ups under a lock; labels come from small sets, so clients cannot make the
// figures grow. Nothing here holds texts, tokens, variables or who asks.
//
//	store ──▶ Called, Begin, Planned, Read     store.go
//	HTTP  ──▶ BeginRequest, Answered, Operation, …    http.go, operations.go
//	caches, gate, projector ◀── collected when Prometheus asks
package telemetry

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Options say what is watched besides the figures. The zero value is ready for use.
type Options struct {
	Log *slog.Logger // drops everything if nil
	// Slow and Dear are from when on the plan of a page is logged: by the time that
	// reading it took, and by its read units. 0 is never.
	Slow time.Duration
	Dear float64
}

// Telemetry is what operators see of one process. It is safe for concurrent use.
type Telemetry struct {
	options  Options
	registry *prometheus.Registry

	storeFigures
	operations    *operations
	mutations     *prometheus.CounterVec // by code
	requests      requests
	refusals      *bounded
	logins        *bounded
	pageLines     *lines
	throttleLines *lines
	tracing       *tracing // nil if there are no traces
}

// New returns the telemetry of a process, which traces nothing yet.
func New(o Options) *Telemetry {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	t := &Telemetry{options: o, registry: prometheus.NewRegistry(), pageLines: newLines(o.Log), throttleLines: newLines(o.Log)}
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	t.storeFigures = newStoreFigures(t.registry)
	t.operations = newOperations(t.registry, time.Now)
	t.mutations = newMutations(t.registry)
	t.requests = newRequests(t.registry)
	t.refusals = newBounded(t.registry, "product_comments_refusals_total",
		"Errors returned to clients with a reason, by reason.")
	t.logins = newBounded(t.registry, "product_comments_auth_failures_total",
		"Requests whose credentials were not accepted, by reason.")
	return t
}

// StartTraces makes spans of what is told from now on, and must be called before. It
// returns an error if they cannot be sent where they should.
func (t *Telemetry) StartTraces(o Traces) (err error) {
	t.tracing, err = o.start(t.registry, t.options.Log)
	return err
}

// Close sends what spans are left, for two seconds at most.
func (t *Telemetry) Close() { t.tracing.close() }

// Metrics serves the figures to Prometheus.
func (t *Telemetry) Metrics() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Register adds figures, and replaces those of the same names and labels.
func (t *Telemetry) Register(figures ...prometheus.Collector) {
	for _, f := range figures {
		t.registry.Unregister(f)
		t.registry.MustRegister(f)
	}
}

// Refused counts an error that told a client why it was refused.
func (t *Telemetry) Refused(reason string) { t.refusals.count(reason) }

// AuthFailed counts a request whose credentials were not accepted.
func (t *Telemetry) AuthFailed(reason string) { t.logins.count(reason) }
