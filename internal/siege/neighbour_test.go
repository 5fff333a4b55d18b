//go:build linux

package siege

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"product-comments/internal/httpapi"
)

// neighbour is a visitor who asks the README's query ten times a second.
type neighbour struct {
	s     *server
	every time.Duration
}

func newNeighbour(s *server) neighbour { return neighbour{s, 100 * time.Millisecond} }

// experience is what a visitor had to wait.
type experience struct {
	waits  []time.Duration // sorted
	failed error           // the first request that was not answered
}

func (e experience) median() time.Duration { return e.at(0.5) }

func (e experience) at(part float64) time.Duration {
	if len(e.waits) == 0 {
		return 0
	}
	return e.waits[min(int(part*float64(len(e.waits))), len(e.waits)-1)]
}

// during asks while something goes on, and at least three times. A request that is
// due while another is under way is sent when that one is answered.
func (n neighbour) during(goesOn func()) (e experience) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		goesOn()
	}()
	clock := time.NewTicker(n.every)
	defer clock.Stop()
	defer func() { slices.Sort(e.waits) }()
	for more := true; more || len(e.waits) < 3; {
		a, err := n.s.send(query(httpapi.ExampleQuery), 30*time.Second)
		if err == nil && (a.status != 200 || !strings.HasPrefix(string(a.start), `{"data":{"product":{"comments":{"edges":[{"`)) {
			err = fmt.Errorf("%d %s", a.status, a.start)
		}
		if err != nil && e.failed == nil {
			e.failed = fmt.Errorf("a visitor's request: %w", err)
		}
		if err != nil && !more {
			break
		}
		e.waits = append(e.waits, a.took)
		select {
		case <-over:
			more = false
			over = nil
		case <-clock.C:
		}
	}
	if over != nil {
		<-over
	}
	return e
}
