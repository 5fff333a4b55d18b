package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// paths are those of requests that are counted by their own.
var paths = []string{"/", "/graphql", "/healthz", "/readyz", "/metrics"}

// requests count HTTP requests.
type requests struct {
	total   *prometheus.CounterVec // by path and status
	seconds *prometheus.HistogramVec
}

func newRequests(r *prometheus.Registry) requests {
	return requests{
		total:   counters(r, "product_comments_http_requests_total", "HTTP requests by path and status.", "path", "status"),
		seconds: seconds(r, "product_comments_http_request_seconds", "Time to answer HTTP requests, by path.", "path"),
	}
}

// statuses are the labels of HTTP's statuses, made once since every request needs one; 0
// is that of any other.
var statuses = func() (labels [600]string) {
	for status := range labels {
		labels[status] = strconv.Itoa(status)
	}
	return labels
}()

// Answered counts an HTTP request.
func (t *Telemetry) Answered(path string, status int, took time.Duration) {
	if status < 0 || status >= len(statuses) {
		status = 0
	}
	path = route(path)
	t.requests.total.WithLabelValues(path, statuses[status]).Inc()
	t.requests.seconds.WithLabelValues(path).Observe(took.Seconds())
}

// route is a path that labels and names of spans may hold.
func route(path string) string {
	if slices.Contains(paths, path) {
		return path
	}
	return others
}

// BeginRequest begins a trace with a request, or continues the one that a trusted
// client is in the middle of (W3C Trace Context). Another client cannot choose to be
// traced: its request begins a trace of its own that links to the client's. The caller
// serves the request that is returned, and then calls end, which is nil without tracing.
func (t *Telemetry) BeginRequest(r *http.Request) (traced *http.Request, end func(status int)) {
	if t.tracing == nil {
		return r, nil
	}
	ctx := r.Context()
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route(r.URL.Path)))}
	outside := propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if t.tracing.trusted {
		ctx = outside
	} else if parent := trace.SpanContextFromContext(outside); parent.IsValid() {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: parent.WithTraceState(trace.TraceState{})}))
	}
	ctx, span := t.tracing.tracer.Start(ctx, method(r.Method)+" "+route(r.URL.Path), options...)
	return r.WithContext(ctx), func(status int) {
		span.SetAttributes(attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// method is a method that names of spans may hold.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead:
		return m
	}
	return others
}
