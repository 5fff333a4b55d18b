package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// BeginRequest begins a trace with a request, or continues the one that a trusted
// client is in the middle of (W3C Trace Context). Another client cannot choose to be
// traced: its request begins a trace of its own that links to the client's. The caller
// serves the request that is returned, and then calls end.
func (t *Telemetry) BeginRequest(r *http.Request) (traced *http.Request, end func(status int)) {
	if t.tracing == nil {
		return r, func(int) {}
	}
	ctx := r.Context()
	options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route(r.URL.Path)))}
	outside := propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
	if t.tracing.trusted(r) {
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
