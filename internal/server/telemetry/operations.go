package telemetry

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"product-comments/store/read/cache"
)

// Labels for groups of operations.
const (
	unnamed = "unnamed" // documents whose operation has no name
	invalid = "invalid" // requests that were refused before their document was validated
	others  = "other"
)

// Limits of names that become labels. A name becomes a label after a few uses, because clients can
// make up names. The number of labels is limited, and a name that was not used for an hour is
// replaced by another.
const (
	maxOperations = 100
	seenTimes     = 3
	idle          = time.Hour
	maxCandidates = 1000 // names with fewer uses
)

// errorCodes are the labels of error codes: the first is none, the last is for others.
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

// operations counts and times requests by the name of their operation.
type operations struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	now     func() time.Time

	mu         sync.Mutex
	named      map[string]time.Time // time of the last use
	candidates *cache.Recent[string, int]
}

func newOperations(r *prometheus.Registry, now func() time.Time) *operations {
	o := &operations{
		now: now, named: map[string]time.Time{}, candidates: cache.NewRecent[string, int](maxCandidates, nil),
		total: counters(r, "product_comments_operations_total",
			"GraphQL requests by the name of their operation, and by the code of their first error, or OK.",
			"operation", "code"),
		seconds: seconds(r, "product_comments_operation_seconds",
			"Time to answer GraphQL requests, by the name of their operation.", "operation"),
	}
	for _, name := range []string{unnamed, invalid, others} { // shown from the start
		o.seconds.WithLabelValues(name)
	}
	return o
}

// Operation counts an answered request. The name is the name of an operation in a valid document,
// empty if it has none. code is the code of the first error, empty without errors.
func (t *Telemetry) Operation(name, code string, took time.Duration) {
	t.operations.add(t.operations.label(name), code, took)
}

// NoOperation counts a request that was refused before its document was validated.
func (t *Telemetry) NoOperation(code string, took time.Duration) {
	t.operations.add(invalid, code, took)
}

func (o *operations) add(label, code string, took time.Duration) {
	o.total.WithLabelValues(label, codeLabel(code)).Inc()
	o.seconds.WithLabelValues(label).Observe(took.Seconds())
}

// newMutations creates the counter with every code, so that the first error of a code shows as an
// increase.
func newMutations(r *prometheus.Registry) *prometheus.CounterVec {
	total := counters(r, "product_comments_mutations_total",
		"GraphQL requests with mutations, by the code of their first error, or OK.", "code")
	for _, code := range errorCodes {
		total.WithLabelValues(code)
	}
	return total
}

// Mutated counts an answered request with mutations. code is the code of the first error, empty
// without errors.
func (t *Telemetry) Mutated(code string) { t.mutations.WithLabelValues(codeLabel(code)).Inc() }

// label returns the label of a name: the name itself if it has become a label.
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
		if times+1 < seenTimes || !o.makeRoom(now) {
			o.candidates.Add(name, min(times+1, seenTimes))
			return others
		}
		o.candidates.Remove(name)
	}
	o.named[name] = now
	return name
}

// makeRoom reports whether another name may become a label, and removes one that was not used for
// long if necessary. o.mu must be held.
func (o *operations) makeRoom(now time.Time) bool {
	if len(o.named) < maxOperations {
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

// longestName is the maximum of bytes of a name that becomes a label.
const longestName = 64

// isName reports whether a text is a GraphQL name of limited length, so that it can appear in any
// output.
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
