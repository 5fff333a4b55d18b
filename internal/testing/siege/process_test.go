//go:build linux

package siege

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

// tick is what /proc counts processor time in: USER_HZ, 100 a second on every
// architecture that Linux runs on.
const tick = 10 * time.Millisecond

// processor returns the processor time of the server since it started.
func (s *server) processor(t *testing.T) time.Duration {
	t.Helper()
	text := testkit.Value(os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.cmd.Process.Pid)))(t)
	_, after, _ := strings.Cut(string(text), ") ") // after the name
	fields := strings.Fields(after)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}

// resident and peak return the server's memory in bytes, now and at most since
// forgetPeak, without the pages of its own file, which the kernel maps and can drop.
func (s *server) resident(t *testing.T) int { return s.status(t, "VmRSS:") - s.status(t, "RssFile:") }
func (s *server) peak(t *testing.T) int     { return s.status(t, "VmHWM:") - s.status(t, "RssFile:") }

func (s *server) status(t *testing.T, name string) int {
	t.Helper()
	text := testkit.Value(os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)))(t)
	for line := range strings.Lines(string(text)) {
		if after, found := strings.CutPrefix(line, name); found {
			kilobytes := testkit.Value(strconv.Atoi(strings.Fields(after)[0]))(t)
			return kilobytes << 10
		}
	}
	t.Fatalf("the server has ended:\n%s", s.log)
	return 0
}

// forgetPeak makes peak begin again.
func (s *server) forgetPeak(t *testing.T) {
	t.Helper()
	testkit.Must(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0))
}

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

// during asks while something continues, and at least three times. A request that is
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
		a, err := n.s.send(query(httpapi.Example("newest-comments")), 30*time.Second)
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
