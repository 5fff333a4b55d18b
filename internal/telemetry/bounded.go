package telemetry

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// bounded is a counter by reasons that the code chooses, and of which there are at
// most so many all the same; the rest is one.
type bounded struct {
	total *prometheus.CounterVec

	mu    sync.Mutex
	known map[string]bool
}

const (
	mostReasons = 100
	others      = "other"
)

func newBounded(r *prometheus.Registry, name, help string) *bounded {
	return &bounded{
		total: promauto.With(r).NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{"reason"}),
		known: map[string]bool{},
	}
}

func (b *bounded) count(reason string) {
	b.total.WithLabelValues(b.label(reason)).Inc()
}

func (b *bounded) label(reason string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.known[reason] && (len(b.known) >= mostReasons || !isName(reason)) {
		reason = others
	}
	b.known[reason] = true
	return reason
}

// longestName bounds names that become labels, in bytes.
const longestName = 64

// isName reports whether a text is a name as GraphQL has them, and not too long, so
// that it can appear anywhere.
func isName(text string) bool {
	if text == "" || len(text) > longestName {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9' || i == 0) {
			return false
		}
	}
	return true
}
