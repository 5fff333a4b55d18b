// Package telemetry provides metrics for Prometheus, traces for OpenTelemetry, and a log line
// for each slow or costly page.
//
// It receives events and makes no decisions. Counting a request takes a few look-ups under a
// lock; labels come from small sets, so clients cannot increase the number of time series.
// Nothing here contains texts, tokens, variables or identities.
//
//	store ──▶ Called, Begin, Planned, Read     store.go
//	HTTP  ──▶ BeginRequest, Answered, Operation, …    http.go, operations.go
//	caches, pools, projector ◀── collected when Prometheus asks
package telemetry

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/time/rate"
)

// Options configure telemetry in addition to metrics. The zero value is ready for use.
type Options struct {
	Log *slog.Logger // discards everything if nil
	// Slow is the time from which a page's plan is logged. 0 is never.
	Slow time.Duration
}

// Telemetry is the telemetry of a process. It is safe for concurrent use.
type Telemetry struct {
	options  Options
	registry *prometheus.Registry

	storeFigures
	operations    *operations
	mutations     *prometheus.CounterVec   // by code
	requests      *prometheus.CounterVec   // by path and status
	answerSeconds *prometheus.HistogramVec // by path
	refusals      *prometheus.CounterVec   // by reason
	logins        *prometheus.CounterVec   // by reason
	pageLines     *rate.Sometimes
	throttleLines *rate.Sometimes
	tracing       *tracing // nil without traces
}

// New returns the telemetry of a process, without traces.
func New(o Options) *Telemetry {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	t := &Telemetry{options: o, registry: prometheus.NewRegistry(),
		pageLines: someLines(), throttleLines: someLines()}
	t.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	t.storeFigures = newStoreFigures(t.registry)
	t.operations = newOperations(t.registry, time.Now)
	t.mutations = newMutations(t.registry)
	t.requests = counters(t.registry, "product_comments_http_requests_total", "HTTP requests by path and status.",
		"path", "status")
	t.answerSeconds = seconds(t.registry, "product_comments_http_request_seconds",
		"Time to answer HTTP requests, by path.", "path")
	t.refusals = counters(t.registry, "product_comments_refusals_total",
		"Errors returned to clients with a reason, by reason.", "reason")
	t.logins = counters(t.registry, "product_comments_auth_failures_total",
		"Requests whose credentials were not accepted, by reason.", "reason")
	return t
}

// Metrics returns the handler for Prometheus.
func (t *Telemetry) Metrics() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{})
}

// Register adds metrics, and replaces metrics with the same names and labels.
func (t *Telemetry) Register(figures ...prometheus.Collector) {
	for _, f := range figures {
		t.registry.Unregister(f)
		t.registry.MustRegister(f)
	}
}

// Refused counts a refused request by reason, which must be a constant of the program.
func (t *Telemetry) Refused(reason string) { t.refusals.WithLabelValues(reason).Inc() }

// AuthFailed counts a request with invalid credentials by reason, which must be a constant of the
// program.
func (t *Telemetry) AuthFailed(reason string) { t.logins.WithLabelValues(reason).Inc() }
