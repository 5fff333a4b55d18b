package telemetry

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"product-comments/store/key/photo"
)

// paths are the paths with their own label.
var paths = []string{"/", "/graphql", "/healthz", "/readyz", "/metrics"}

// Answered counts an HTTP request.
func (t *Telemetry) Answered(path string, status int, took time.Duration) {
	path = route(path)
	t.requests.WithLabelValues(path, strconv.Itoa(status)).Inc()
	t.answerSeconds.WithLabelValues(path).Observe(took.Seconds())
}

// route returns the label of a path, for metrics and span names.
func route(path string) string {
	if slices.Contains(paths, path) {
		return path
	}
	if path == photo.Path || strings.HasPrefix(path, photo.Path+"/") {
		return photo.Path
	}
	return others
}

// BeginRequest starts a trace for a request, or continues the trace of a trusted client (W3C Trace
// Context). Other clients cannot choose to be traced: their requests get a new trace with a link
// to the client's. The caller serves the returned request and then calls end, which is nil without
// tracing.
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

// method returns the label of an HTTP method, for span names.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead:
		return m
	}
	return others
}
