package telemetry

import (
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
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

// errorCodes are those of errors; the first stands for none, the last for any other.
var errorCodes = []string{
	"OK", "BAD_USER_INPUT", "NOT_FOUND", "CONFLICT", "UNAUTHENTICATED", "FORBIDDEN", "UNAVAILABLE", "INTERNAL",
	"PERSISTED_QUERY_NOT_FOUND", "GRAPHQL_PARSE_FAILED", "GRAPHQL_VALIDATION_FAILED", "RATE_LIMITED", "OTHER",
}

// operations count and time requests by the name of their operation.
type operations struct {
	total   *prometheus.CounterVec
	seconds *prometheus.HistogramVec
	now     func() time.Time

	named  sync.Map // name → *operation
	others [3]*operation

	mu         sync.Mutex
	count      int // of named
	candidates *lru.Cache[string, int]
}

// operation is the figures of one name.
type operation struct {
	codes   *grid[prometheus.Counter]
	seconds prometheus.Observer
	last    atomic.Int64 // when it was seen last, in nanoseconds since 1970
}

func newOperations(r *prometheus.Registry, now func() time.Time) *operations {
	o := &operations{
		now: now,
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "product_comments_operations_total",
			Help: "GraphQL requests by the name of their operation, and by the code of their first error, or OK.",
		}, []string{"operation", "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "product_comments_operation_seconds", Help: "Time to answer GraphQL requests, by the name of their operation.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"operation"}),
	}
	candidates, err := lru.New[string, int](mostCandidates)
	if err != nil { // the size is a constant above zero
		panic(err)
	}
	o.candidates = candidates
	r.MustRegister(o.total, o.seconds)
	for i, name := range []string{unnamed, invalid, others} {
		o.others[i] = o.operation(name)
	}
	return o
}

func (o *operations) operation(name string) *operation {
	return &operation{
		seconds: o.seconds.WithLabelValues(name),
		codes:   newGrid(len(errorCodes), func(cell int) prometheus.Counter { return o.total.WithLabelValues(name, errorCodes[cell]) }),
	}
}

// Operation counts a request that was answered. The name is that of an operation in
// a valid document, empty if it has none. code is that of the first error, empty
// without one.
func (t *Telemetry) Operation(name, code string, took time.Duration) {
	t.operations.of(name).add(code, took)
}

// newMutations shows every code from the beginning: whether one of few is the first of its
// code could not be told otherwise.
func newMutations(r *prometheus.Registry) *grid[prometheus.Counter] {
	total := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "product_comments_mutations_total", Help: "GraphQL requests with mutations, by the code of their first error, or OK.",
	}, []string{"code"})
	r.MustRegister(total)
	g := newGrid(len(errorCodes), func(cell int) prometheus.Counter { return total.WithLabelValues(errorCodes[cell]) })
	for cell := range errorCodes {
		g.at(cell)
	}
	return g
}

// Mutated counts a request with mutations that was answered. code is that of the first
// error, empty without one.
func (t *Telemetry) Mutated(code string) { t.mutations.at(codeCell(code)).Inc() }

// NoOperation counts a request that was refused before its document was known to be
// valid.
func (t *Telemetry) NoOperation(code string, took time.Duration) {
	t.operations.others[1].add(code, took)
}

func (op *operation) add(code string, took time.Duration) {
	op.codes.at(codeCell(code)).Inc()
	op.seconds.Observe(took.Seconds())
}

func codeCell(code string) int {
	if code == "" {
		return 0
	}
	for i, known := range errorCodes[1:] {
		if known == code {
			return i + 1
		}
	}
	return len(errorCodes) - 1
}

// of returns the figures of a name.
func (o *operations) of(name string) *operation {
	if name == "" {
		return o.others[0]
	}
	now := o.now().UnixNano()
	if found, ok := o.named.Load(name); ok {
		op := found.(*operation)
		op.last.Store(now)
		return op
	}
	if !isName(name) || name == unnamed || name == invalid || name == others {
		return o.others[2]
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if found, ok := o.named.Load(name); ok {
		return found.(*operation)
	}
	times, _ := o.candidates.Get(name)
	if times+1 < seenTimes || !o.room(now) {
		o.candidates.Add(name, min(times+1, seenTimes))
		return o.others[2]
	}
	o.candidates.Remove(name)
	op := o.operation(name)
	op.last.Store(now)
	o.named.Store(name, op)
	o.count++
	return op
}

// room tells whether another name may become a label, and forgets one that was not
// seen for long if need be. o.mu must be held.
func (o *operations) room(now int64) bool {
	if o.count < mostOperations {
		return true
	}
	var oldest string
	at := now - idle.Nanoseconds()
	o.named.Range(func(name, found any) bool {
		if last := found.(*operation).last.Load(); last <= at {
			oldest, at = name.(string), last
		}
		return true
	})
	if oldest == "" {
		return false
	}
	o.named.Delete(oldest)
	o.total.DeletePartialMatch(prometheus.Labels{"operation": oldest})
	o.seconds.DeleteLabelValues(oldest)
	o.count--
	return true
}
