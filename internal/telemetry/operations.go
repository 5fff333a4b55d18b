package telemetry

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/cache"
)

// Names of operations that stand for others than one.
const (
	unnamed = "unnamed" // documents that give their operation no name
	invalid = "invalid" // requests that were refused before their document was known to be valid
)

// The names that become labels are those that were seen a few times. A client can
// make names up, so there is only room for so many, and one that was not seen for an
// hour makes room for another.
const (
	mostOperations = 100
	seenTimes      = 3
	idle           = time.Hour
	mostCandidates = 1000 // names that were seen less often
)

// errorCodes are those of errors; the first is none, the last any other.
var errorCodes = []string{
	"OK", "BAD_USER_INPUT", "NOT_FOUND", "CONFLICT", "UNAUTHENTICATED", "FORBIDDEN", "UNAVAILABLE", "INTERNAL",
	"PERSISTED_QUERY_NOT_FOUND", "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "RATE_LIMITED", "OTHER",
}

func codeLabel(code string) string {
	switch {
	case code == "":
		return errorCodes[0]
	case slices.Contains(errorCodes[1:], code):
		return code
	}
	return errorCodes[len(errorCodes)-1]
}

// operations count and time requests by the name of their operation.
type operations struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	now     func() time.Time

	mu         sync.Mutex
	named      map[string]time.Time // when each was seen last
	candidates *cache.Recent[string, int]
}

func newOperations(r *prometheus.Registry, now func() time.Time) *operations {
	o := &operations{
		now: now, named: map[string]time.Time{}, candidates: cache.NewRecent[string, int](mostCandidates, nil),
		total: counters(r, "product_comments_operations_total",
			"GraphQL requests by the name of their operation, and by the code of their first error, or OK.", "operation", "code"),
		seconds: seconds(r, "product_comments_operation_seconds", "Time to answer GraphQL requests, by the name of their operation.", "operation"),
	}
	for _, name := range []string{unnamed, invalid, others} { // which are shown from the beginning
		o.seconds.WithLabelValues(name)
	}
	return o
}

// Operation counts a request that was answered. The name is that of an operation in
// a valid document, empty if it has none. code is that of the first error, empty
// without one.
func (t *Telemetry) Operation(name, code string, took time.Duration) {
	t.operations.add(t.operations.label(name), code, took)
}

// NoOperation counts a request that was refused before its document was known to be
// valid.
func (t *Telemetry) NoOperation(code string, took time.Duration) {
	t.operations.add(invalid, code, took)
}

func (o *operations) add(label, code string, took time.Duration) {
	o.total.WithLabelValues(label, codeLabel(code)).Inc()
	o.seconds.WithLabelValues(label).Observe(took.Seconds())
}

// newMutations shows every code from the beginning: whether one of few is the first of its
// code could not be told otherwise.
func newMutations(r *prometheus.Registry) *prometheus.CounterVec {
	total := counters(r, "product_comments_mutations_total", "GraphQL requests with mutations, by the code of their first error, or OK.", "code")
	for _, code := range errorCodes {
		total.WithLabelValues(code)
	}
	return total
}

// Mutated counts a request with mutations that was answered. code is that of the first
// error, empty without one.
func (t *Telemetry) Mutated(code string) { t.mutations.WithLabelValues(codeLabel(code)).Inc() }

// label returns the label of a name: itself if it has figures of its own.
func (o *operations) label(name string) string {
	switch {
	case name == "":
		return unnamed
	case !isName(name) || name == unnamed || name == invalid || name == others:
		return others
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if _, known := o.named[name]; !known {
		times, _ := o.candidates.Get(name)
		if times+1 < seenTimes || !o.room(now) {
			o.candidates.Add(name, min(times+1, seenTimes))
			return others
		}
		o.candidates.Remove(name)
	}
	o.named[name] = now
	return name
}

// room reports whether another name may become a label, and forgets one that was not
// seen for long if need be. o.mu must be held.
func (o *operations) room(now time.Time) bool {
	if len(o.named) < mostOperations {
		return true
	}
	oldest, at := "", now.Add(-idle)
	for name, last := range o.named {
		if !last.After(at) {
			oldest, at = name, last
		}
	}
	if oldest == "" {
		return false
	}
	delete(o.named, oldest)
	o.total.DeletePartialMatch(prometheus.Labels{"operation": oldest})
	o.seconds.DeleteLabelValues(oldest)
	return true
}

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
	return &bounded{total: counters(r, name, help, "reason"), known: map[string]bool{}}
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
