package telemetry

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
)

// Trace begins a trace with each request, or goes on with the one that a trusted
// client is in the middle of (W3C Trace Context). Another client cannot choose to be
// traced: its request begins a trace of its own that links to the client's.
func (t *Telemetry) Trace(next http.Handler) http.Handler {
	if t.tracing == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		route := route(r.URL.Path)
		options := []trace.SpanStartOption{trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
			attribute.String("http.request.method", method(r.Method)), attribute.String("http.route", route))}
		outside := propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(r.Header))
		if t.tracing.trusted(r) {
			ctx = outside
		} else if parent := trace.SpanContextFromContext(outside); parent.IsValid() {
			options = append(options, trace.WithLinks(trace.Link{SpanContext: parent.WithTraceState(trace.TraceState{})}))
		}
		ctx, span := t.tracing.tracer.Start(ctx, method(r.Method)+" "+route, options...)
		if !span.IsRecording() {
			next.ServeHTTP(w, r.WithContext(ctx))
			return
		}
		seen := &statusSeen{ResponseWriter: w, status: http.StatusOK}
		defer func() {
			span.SetAttributes(attribute.Int("http.response.status_code", seen.status))
			if seen.status >= http.StatusInternalServerError {
				span.SetStatus(codes.Error, "")
			}
			span.End()
		}()
		next.ServeHTTP(seen, r.WithContext(ctx))
	})
}

// route is a path that names of spans may hold.
func route(path string) string {
	for _, known := range paths[1:] {
		if path == known {
			return path
		}
	}
	return others
}

// method is a method that names of spans may hold.
func method(m string) string {
	switch m {
	case http.MethodGet, http.MethodPost, http.MethodOptions, http.MethodHead:
		return m
	}
	return "other"
}

// statusSeen remembers the status of an answer.
type statusSeen struct {
	http.ResponseWriter
	status int
}

func (s *statusSeen) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (s *statusSeen) Unwrap() http.ResponseWriter { return s.ResponseWriter }
