package telemetry

import (
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// grid holds the children of a vector whose labels come from small sets that the
// code knows. Finding one is an atomic load: no hash, no lock and no garbage. A
// child is made when it is first asked for, so that no series is of something that
// never happened.
type grid[M any] struct {
	cells []atomic.Pointer[M]
	fresh func(cell int) M
}

func newGrid[M any](cells int, fresh func(cell int) M) *grid[M] {
	return &grid[M]{cells: make([]atomic.Pointer[M], cells), fresh: fresh}
}

func (g *grid[M]) at(cell int) M {
	if found := g.cells[cell].Load(); found != nil {
		return *found
	}
	made := g.fresh(cell) // the vector gives everybody the same
	g.cells[cell].Store(&made)
	return made
}

// bounded is a counter by one label whose values the code chooses, and of which
// there are at most so many all the same; the rest is one.
type bounded struct {
	vec  *prometheus.CounterVec
	most int

	mu    sync.RWMutex
	known map[string]prometheus.Counter
}

const (
	mostReasons = 100
	others      = "other"
)

func newBounded(r *prometheus.Registry, name, help, label string, most int) *bounded {
	b := &bounded{
		vec:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label}),
		most: most, known: map[string]prometheus.Counter{},
	}
	r.MustRegister(b.vec)
	return b
}

func (b *bounded) count(value string) {
	b.mu.RLock()
	counter, ok := b.known[value]
	b.mu.RUnlock()
	if !ok {
		counter = b.learn(value)
	}
	counter.Inc()
}

func (b *bounded) learn(value string) prometheus.Counter {
	b.mu.Lock()
	defer b.mu.Unlock()
	if value == "" || len(b.known) >= b.most || !isName(value) {
		value = others
	}
	counter := b.vec.WithLabelValues(value)
	b.known[value] = counter
	return counter
}

// longestName bounds names that become labels, in bytes.
const longestName = 64

// isName tells whether a text is a name as GraphQL has them, and not too long, so
// that it can stand anywhere.
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
