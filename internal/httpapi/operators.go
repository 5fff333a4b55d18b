package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/pprof"

	"product-comments/internal/telemetry"
	"product-comments/store/stream"
)

// Health serves what balancers and operators ask of a process. Balancers need to
// know whether it lives and whether it is ready, which is for everybody to see.
// Figures, causes and profiles are for operators, on an address of their own.
type Health struct {
	ready   *readyz
	log     *slog.Logger
	watched *telemetry.Telemetry
}

// NewHealth returns the health of a process. ask asks the table whether it answers;
// projector is nil if the process runs none.
func NewHealth(
	ask func(context.Context) error, projector func() stream.Status, log *slog.Logger, watched *telemetry.Telemetry,
) *Health {
	if projector != nil {
		watched.Projector(projector)
	}
	return &Health{ready: &readyz{ask: ask, projector: projector, log: log}, log: log, watched: watched}
}

// Filling lets operators see what is being made online, a line each.
func (h *Health) Filling(lines func(context.Context) string) { h.ready.filling = lines }

// Drain makes the process say that it is not ready, because it is about to end.
func (h *Health) Drain() { h.ready.draining.Store(true) }

// Public returns the handler of /healthz and /readyz alone.
func (h *Health) Public() http.Handler {
	mux := http.NewServeMux()
	h.handlePublic(mux)
	return withRequestID(withLog(h.log, h.watched, withHeaders(mux)))
}

// Operators returns the handler of the operators' address: /healthz, /readyz with
// ?verbose, /metrics, and Go's profiles under /debug/pprof/.
func (h *Health) Operators() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathHealthz, healthz)
	mux.HandleFunc("GET "+pathReadyz, h.ready.serveOperators)
	mux.Handle("GET "+pathMetrics, h.watched.Metrics())
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return withRequestID(withLog(h.log, h.watched, withHeaders(mux)))
}

func (h *Health) handlePublic(mux *http.ServeMux) {
	mux.HandleFunc("GET "+pathHealthz, healthz)
	mux.HandleFunc("GET "+pathReadyz, h.ready.servePublic)
}

const (
	pathHealthz = "/healthz"
	pathReadyz  = "/readyz"
	pathMetrics = "/metrics"
)

// polled are the paths that machines ask for every few seconds.
var polled = []string{pathHealthz, pathReadyz, pathMetrics}
