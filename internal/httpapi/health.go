package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
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
// the table is charged, so an answer is given again for a second. With ?verbose it
// also shows how far the statistics are. They do not decide whether the process is
// ready, because comments are served without them.
type readyz struct {
	ask       func(context.Context) error
	projector func() stream.Status // nil if none runs in this process
	log       *slog.Logger

	mu   sync.Mutex
	at   time.Time
	last error
}

func (h *readyz) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h.ready(r.Context())
	if err != nil {
		h.log.WarnContext(r.Context(), "not ready", "error", err)
	}
	verbose := r.URL.Query().Has("verbose")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	switch {
	case err != nil && !verbose:
		http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, "table: it does not answer\n"+h.explain())
	case verbose:
		_, _ = io.WriteString(w, "table: ok\n"+h.explain())
	default:
		_, _ = io.WriteString(w, "ok\n")
	}
}

// explain describes how far the statistics are.
func (h *readyz) explain() string {
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
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < readyAge {
		return h.last
	}
	// Others get this answer too, so it must not be that one client left.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	h.last = h.ask(ctx)
	h.at = time.Now()
	return h.last
}
