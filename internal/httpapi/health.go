package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"product-comments/store/stream"
)

// healthz answers as long as the process serves.
func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

const (
	readyAge     = time.Second     // for which an answer of the table is given again
	readyTimeout = 2 * time.Second // for the table to answer
)

// readyz reports whether the table answers. Balancers ask often and every read of
// the table is charged, so an answer is given again for a second. How far the
// statistics are does not decide whether the process is ready, because comments are
// served without them.
type readyz struct {
	ask       func(context.Context) error
	projector func() stream.Status // nil if none runs in this process
	elsewhere func(context.Context) string
	filling   func(context.Context) string // lines about what is being made online; nil for none
	log       *slog.Logger
	draining  atomic.Bool // the process is about to end

	mu   sync.Mutex
	at   time.Time
	last error
}

var errDraining = errors.New("the process is about to end")

// servePublic tells a balancer whether to send requests.
func (h *readyz) servePublic(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", noStore)
	switch err := h.ready(r.Context()); {
	case errors.Is(err, errDraining):
		asMeant(w)
		http.Error(w, errDraining.Error(), http.StatusServiceUnavailable)
	case err != nil:
		http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
	default:
		_, _ = io.WriteString(w, "ok\n")
	}
}

// serveOperators is servePublic, and with ?verbose shows how far the statistics are.
func (h *readyz) serveOperators(w http.ResponseWriter, r *http.Request) {
	if !r.URL.Query().Has("verbose") {
		h.servePublic(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", noStore)
	err := h.ready(r.Context())
	table := "ok"
	if err != nil {
		table = err.Error()
		if errors.Is(err, errDraining) {
			asMeant(w)
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, _ = io.WriteString(w, "table: "+table+"\n"+h.explain(r.Context()))
	if h.filling != nil && err == nil {
		_, _ = io.WriteString(w, h.filling(r.Context()))
	}
}

// explain describes how far the statistics are.
func (h *readyz) explain(ctx context.Context) string {
	if h.projector == nil && h.elsewhere != nil {
		return "projector: not in this process; " + h.elsewhere(ctx) + "\n"
	}
	if h.projector == nil {
		return "projector: not in this process\n"
	}
	s := h.projector()
	var b strings.Builder
	if !s.Started {
		b.WriteString("projector: starting\n")
	} else {
		fmt.Fprintf(&b, "projector: %d records in %d transactions, %d tried again\n", s.Records, s.Transactions, s.Retries)
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

// ready asks the table, unless it answered a moment ago.
func (h *readyz) ready(ctx context.Context) error {
	if h.draining.Load() {
		return errDraining
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < readyAge {
		return h.last
	}
	// Others get this answer too, so it must not be that one client left.
	asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	h.last = h.ask(asking)
	h.at = time.Now()
	if h.last != nil {
		h.log.WarnContext(ctx, "not ready", "error", h.last)
	}
	return h.last
}
