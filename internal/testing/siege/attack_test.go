//go:build linux

package siege

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// maxSpent is what one request may cost. The server is built without the race detector.
var maxSpent = testkit.Spent{Processor: 500 * time.Millisecond, Bytes: 64 << 20}

// A visitor next to an attacker waits at most so much longer; below the floor other
// processes of this machine decide.
const (
	maxSlower = 3
	floor     = 50 * time.Millisecond
)

// attack is one thing to send, and what it was.
type attack struct {
	name string
	request
	// check says what is wrong with the answer; nil if any answer will do that is
	// no fault of the service.
	check func(answer) error
}

// refusedWith wants the code of an error.
func refusedWith(codes ...string) func(answer) error {
	return func(a answer) error {
		if !slices.Contains(codes, a.code()) {
			return fmt.Errorf("want one of %v", codes)
		}
		return nil
	}
}

// withstands sends each attack once and measures what it costs. Then an attacker
// sends them again and again while a visitor asks for a page.
func withstands(t *testing.T, s *server, attacks ...attack) {
	t.Helper()
	s.forgetPeak(t)
	for _, a := range attacks {
		s.withstandsOne(t, a)
	}
	if t.Failed() { // each is as costly again
		return
	}
	s.visited(t, func() {
		for over := time.Now().Add(short(time.Second, 10*time.Second)); time.Now().Before(over); {
			for _, a := range attacks {
				_, _ = s.send(a.request, 5*time.Second)
			}
		}
	})
}

// withstandsOne sends one attack and measures.
func (s *server) withstandsOne(t *testing.T, a attack) answer {
	t.Helper()
	var got answer
	var err error
	spent := testkit.Least(maxSpent, func() (spent testkit.Spent) {
		got, spent, err = s.measured(t, a)
		return spent
	})
	t.Logf("%s: sent %d bytes; %d %s, %d bytes in %v; processor %v, memory +%d MB; %.120s",
		a.name, len(a.path)+len(a.body), got.status, got.code(), got.bytes, got.took.Round(time.Millisecond), spent.Processor, spent.Bytes>>20, got.says())
	switch {
	case err != nil:
		t.Errorf("%s: not answered: %v", a.name, err)
	case got.status >= 500 && got.status != 503, got.code() == "INTERNAL":
		t.Errorf("%s: a fault of the service: %d %.300s", a.name, got.status, got.start)
	case a.check != nil:
		err := a.check(got)
		testkit.Check(t, err == nil, "%s: %v: %d %.300s", a.name, err, got.status, got.start)
	}
	testkit.Check(t, spent.Within(maxSpent), "%s took %v of processor and %d MB, the most is %v and %d", a.name, spent.Processor, spent.Bytes>>20, maxSpent.Processor, maxSpent.Bytes>>20)
	return got
}

// measured sends an attack and returns what it cost: processor time, and by how much
// the server's memory rose. That includes garbage of what was before, which the
// collector left for later.
func (s *server) measured(t *testing.T, a attack) (got answer, spent testkit.Spent, err error) {
	t.Helper()
	before, used := s.resident(t), s.processor(t)
	s.forgetPeak(t)
	got, err = s.send(a.request, 20*time.Second)
	return got, testkit.Spent{Processor: s.processor(t) - used, Bytes: int64(s.peak(t) - before)}, err
}

// visited checks what a visitor notices of an attack, and the server's memory.
func (s *server) visited(t *testing.T, goesOn func()) {
	t.Helper()
	s.forgetPeak(t)
	n, usual := newNeighbour(s), s.usual
	told := n.during(goesOn)
	slow := func() bool { return told.median() > max(floor, maxSlower*usual) }
	for again := 0; again < 2 && slow() && told.failed == nil; again++ { // the machine may be busier than before
		usual = n.during(func() { time.Sleep(300 * time.Millisecond) }).median()
		told = n.during(goesOn)
	}
	t.Logf("a visitor waited %v, usually %v; the server took %d MB at the most",
		told.median().Round(time.Millisecond), usual.Round(time.Millisecond), s.peak(t)>>20)
	testkit.Check(t, told.failed == nil, "%v", told.failed)
	testkit.Check(t, !slow(), "a visitor waited %v, usually %v", told.median(), usual)
	s.bounded(t, "with an attacker and a visitor")
}

// bounded checks the server's memory since forgetPeak.
func (s *server) bounded(t *testing.T, what string) {
	t.Helper()
	peak := s.peak(t)
	testkit.Check(t, peak <= memory, "%s it took %d MB, --memory is %d MB", what, peak>>20, memory>>20)
}

// crowd sends a request from so many clients at once, each so many times, and
// returns the answers that came.
func (s *server) crowd(clients, times int, within time.Duration, r func(client, time int) request) (answers []answer) {

	var mu sync.Mutex
	testkit.AtOnce(clients, func(c int) {
		for i := range times {
			if a, err := s.send(r(c, i), within); err == nil {
				mu.Lock()
				answers = append(answers, a)
				mu.Unlock()
			}
		}
	})
	return answers
}
