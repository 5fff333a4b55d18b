package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"product-comments/internal/server/admission"
)

const (
	pathHealthz = "/healthz"
	pathReadyz  = "/readyz"
	pathMetrics = "/metrics"
)

// healthPaths are paths that machines request every few seconds.
var healthPaths = []string{pathHealthz, pathReadyz, pathMetrics}

const (
	readyAge     = time.Second     // how long an answer of the table is reused
	readyTimeout = 2 * time.Second // for the table to answer
)

// Health serves the health of a process. Load balancers need to know whether the process is alive
// and ready, which is public. Metrics, causes and profiles are for operators, at a separate
// address.
//
// A process is ready if the table answers. Load balancers ask often and every read of the table is
// charged, so an answer is reused for a second. The progress of the statistics does not affect
// readiness, because comments are served without them.
type Health struct {
	s        *server
	draining atomic.Bool // the server is shutting down

	mu   sync.Mutex
	at   time.Time
	last error
}

// NewHealth returns the health of a process. It uses Ready, Projector, Elsewhere, Filling, Log and
// Telemetry of the configuration.
func NewHealth(c Config) *Health {
	return newHealth(newServer(c))
}

func newHealth(s *server) *Health {
	if s.Projector != nil {
		s.Telemetry.Projector(s.Projector)
	}
	return &Health{s: s}
}

// Drain makes /readyz fail, because the process is about to end.
func (h *Health) Drain() { h.draining.Store(true) }

// Public returns the handler of /healthz and /readyz.
func (h *Health) Public() http.Handler {
	mux := http.NewServeMux()
	h.handlePublic(mux)
	return h.s.chain(mux, requestID, h.s.log, setSecurityHeaders)
}

// Operators returns the handler of the operators' address: /healthz, /readyz with
// ?verbose, /metrics, and Go's profiles under /debug/pprof/.
func (h *Health) Operators() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+pathHealthz, healthz)
	mux.HandleFunc("GET "+pathReadyz, h.serveOperators)
	mux.Handle("GET "+pathMetrics, h.s.Telemetry.Metrics())
	for path, serve := range map[string]http.HandlerFunc{
		"": pprof.Index, "cmdline": pprof.Cmdline, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace,
	} {
		mux.HandleFunc("GET /debug/pprof/"+path, ownPages(serve))
	}
	return h.s.chain(mux, requestID, h.s.log, setSecurityHeaders)
}

// ownPages refuses requests that a browser makes for a page of another origin: a page that an
// operator visits must not cause work here.
func ownPages(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Sec-Fetch-Site") {
		case "", "none", "same-origin":
			next(w, r)
		default:
			http.Error(w, "another page requested this profile: open the address itself", http.StatusForbidden)
		}
	}
}

func (h *Health) handlePublic(mux *http.ServeMux) {
	mux.HandleFunc("GET "+pathHealthz, healthz)
	mux.HandleFunc("GET "+pathReadyz, h.servePublic)
}

// healthz answers while the process serves.
func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

// servePublic answers a load balancer's check whether to send requests.
func (h *Health) servePublic(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", notStored)
	switch err := h.ready(r.Context()); {
	case errors.Is(err, errDraining):
		w.Header().Set("Retry-After", "1")
		http.Error(w, errDraining.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
	default:
		_, _ = io.WriteString(w, "ok\n")
	}
}

// serveOperators is servePublic, and with ?verbose shows the state of the statistics.
func (h *Health) serveOperators(w http.ResponseWriter, r *http.Request) {
	if !r.URL.Query().Has("verbose") {
		h.servePublic(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", notStored)
	err := h.ready(r.Context())
	table := "ok"
	if err != nil {
		table = err.Error()
		if errors.Is(err, errDraining) {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, "table: "+table+"\n"+h.explain(r.Context()))
	if h.s.Filling != nil && err == nil {
		_, _ = io.WriteString(w, h.s.Filling(r.Context()))
	}
}

// explain describes the state of the statistics.
func (h *Health) explain(ctx context.Context) string {
	const elsewhere = "projector: not in this process"
	switch {
	case h.s.Projector == nil && h.s.Elsewhere != nil:
		return elsewhere + "; " + h.s.Elsewhere(ctx) + "\n"
	case h.s.Projector == nil:
		return elsewhere + "\n"
	}
	s := h.s.Projector()
	var b strings.Builder
	if !s.Started {
		b.WriteString("projector: starting\n")
	} else {
		fmt.Fprintf(&b, "projector: %d records in %d transactions, %d retries\n", s.Records, s.Transactions,
			s.Retries)
	}
	fmt.Fprintf(&b, "statistics: %s\n", cmp.Or(string(s.State), "unknown"))
	fmt.Fprintf(&b, "lag: %.3f s, the age of the oldest record that is not in the statistics\n", s.Lag.Seconds())
	for _, shard := range s.Shards {
		fmt.Fprintf(&b, "shard %s: lag %.3f s, caught up: %t\n", shard.ID, shard.Lag.Seconds(), shard.CaughtUp)
	}
	if s.LastError != "" {
		fmt.Fprintf(&b, "last failure: %s\n", s.LastError)
	}
	return b.String()
}

var errDraining = errors.New("the server is shutting down")

// ready checks the table, unless it answered a moment ago.
func (h *Health) ready(ctx context.Context) error {
	if h.draining.Load() {
		return errDraining
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < readyAge {
		return h.last
	}
	// Other requests share this answer, so it must not depend on one client's connection.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	h.last = h.s.Ready(asking)
	h.at = time.Now()
	if h.last != nil {
		h.s.Log.WarnContext(ctx, "not ready", "error", h.last)
	}
	return h.last
}

// OnlyHosts refuses requests for names that are not in hosts.
func OnlyHosts(hosts admission.Hosts, next http.Handler) http.Handler {
	s := newServer(Config{Limits: admission.Limits{Hosts: hosts}})
	return s.chain(next, s.admission.Headers)
}
