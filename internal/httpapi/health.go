package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// healthz tells that the process serves.
func healthz(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }

const (
	readyAge     = time.Second     // an answer younger than this is given again
	readyTimeout = 2 * time.Second // of asking the table
)

// readyz tells whether the table answers. Balancers ask often and the table
// charges for each answer, so one is shared for a second.
type readyz struct {
	ask func(context.Context) error
	log *slog.Logger

	mu   sync.Mutex
	at   time.Time
	last error
}

func (h *readyz) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.ready(r.Context()); err != nil {
		h.log.WarnContext(r.Context(), "not ready", "error", err)
		http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
		return
	}
	_, _ = io.WriteString(w, "ok\n")
}

func (h *readyz) ready(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < readyAge {
		return h.last
	}
	// A caller that leaves must not make the answer that others share.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	h.last = h.ask(ctx)
	h.at = time.Now()
	return h.last
}
