package simulation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// marks count how often rare situations were met. A simulation that never
// meets what a check is about proves nothing.
type marks struct {
	mu sync.Mutex
	n  map[string]int
}

func (m *marks) add(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.n == nil {
		m.n = map[string]int{}
	}
	m.n[name]++
}

// missing returns those of the names that were never met.
func (m *marks) missing(names []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []string
	for _, name := range names {
		if m.n[name] == 0 {
			out = append(out, name)
		}
	}
	return out
}

func (m *marks) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.n)) {
		fmt.Fprintf(&b, "%9d  %s\n", m.n[name], name)
	}
	return b.String()
}
