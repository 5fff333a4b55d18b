//go:build linux

package siege

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// load is what many clients at once were answered.
type load struct {
	accepted []time.Duration // sorted
	shed     int             // answers 503
	unnamed  int             // of these, without Retry-After
	failed   int             // no answer: the connection was refused or ended
	others   []string        // the first few answers that are neither
	took     time.Duration
}

func (l load) p99() time.Duration {
	if len(l.accepted) == 0 {
		return 0
	}
	return l.accepted[len(l.accepted)*99/100]
}

func (l load) String() string {
	total := len(l.accepted) + l.shed + l.failed + len(l.others)
	return fmt.Sprintf("%d requests in %v: %d answered (%.0f a second, p99 %v), %d shed, %d failed, %d others",
		total, l.took.Round(time.Millisecond), len(l.accepted), float64(len(l.accepted))/l.took.Seconds(), l.p99().Round(time.Millisecond), l.shed, l.failed, len(l.others))
}

// lasting returns a condition that holds for so long.
func lasting(d time.Duration) func() bool {
	until := time.Now().Add(d)
	return func() bool { return time.Now().Before(until) }
}

// stress has so many clients ask for pages while a condition holds, no two of them the same, one
// request after the other. A client that is sent away waits for a moment, as its Retry-After
// would have it, but not as long.
func (s *server) stress(clients int, goesOn func() bool, asks func(*rand.Rand) request) (l load) {
	var mu sync.Mutex
	began := time.Now()
	testkit.AtOnce(clients, func(c int) {
		r := rand.New(rand.NewPCG(1, uint64(c)))
		for goesOn() {
			a, err := s.send(asks(r), 15*time.Second)
			mu.Lock()
			switch {
			case err != nil:
				l.failed++
			case a.status == 503:
				l.shed++
				if a.header.Get("Retry-After") == "" {
					l.unnamed++
				}
			case a.status == 200 && a.code() == "":
				l.accepted = append(l.accepted, a.took)
			default:
				l.others = append(l.others, fmt.Sprintf("%d %.200s", a.status, a.start))
			}
			mu.Unlock()
			if err != nil || a.status == 503 {
				time.Sleep(time.Duration(50+r.IntN(100)) * time.Millisecond)
			}
		}
	})
	l.took = time.Since(began)
	slices.Sort(l.accepted)
	return l
}

var answered = regexp.MustCompile(`msg=request .*path=/graphql status=200 .*took=(\S+)`)

// byItsLog is stress with the times that the server took, from its log. The clients
// here share its processors, and take longer than it when there are hundreds.
func (s *server) byItsLog(clients int, lasts time.Duration, asks func(*rand.Rand) request) load {
	before := len(s.log.String())
	l := s.stress(clients, lasting(lasts), asks)
	l.accepted = l.accepted[:0]
	for _, m := range answered.FindAllStringSubmatch(s.log.String()[before:], -1) {
		if took, err := time.ParseDuration(m[1]); err == nil {
			l.accepted = append(l.accepted, took)
		}
	}
	slices.Sort(l.accepted)
	return l
}

// pages are requests for pages of product 42, of different filters and sizes.
func pages(r *rand.Rand) request {
	var ratings []string
	for i := 1; i <= 5; i++ {
		if r.IntN(2) == 0 {
			ratings = append(ratings, fmt.Sprint(i))
		}
	}
	return query(fmt.Sprintf(`{product(id:"42"){comments(language:"en",ratings:[%s],first:%d){nodes{rating title text author} pageInfo{endCursor}}}}`,
		strings.Join(ratings, ","), 10+r.IntN(20)))
}

// mixed are pages, dear ones and counts.
func mixed(r *rand.Rand) request {
	switch r.IntN(10) {
	case 0:
		return query(`{product(id:"wide"){comments(first:100){nodes{text}}}}`)
	case 1:
		return query(`{product(id:"wide"){comments(first:20){edges{node{title text}}}}}`)
	case 2:
		return query(`{product(id:"42"){stats{totalCount ratingCounts{count}}}}`)
	default:
		return pages(r)
	}
}

// fullLoad is how many clients keep the service just busy, on a machine without other work.
// A few clients are never sent away.
const (
	fullLoad = 20
	few      = 4
)

// busy is the load of as many clients as are served, and their number: all of fullLoad, unless
// the machine has other work.
func (s *server) busy(lasts time.Duration, asks func(*rand.Rand) request) (clients int, l load) {
	for clients = fullLoad; ; clients = max(few, clients/2) {
		if l = s.byItsLog(clients, lasts, asks); clients == few || l.shed <= len(l.accepted)/50 {
			return clients, l
		}
	}
}

// readiness asks, as a balancer does, until it is stopped. It returns the answers that are
// no readiness.
func (s *server) readiness() (stop func() []string) {
	over, bad := make(chan struct{}), make(chan []string)
	go func() {
		var all []string
		for {
			select {
			case <-over:
				bad <- all
				return
			case <-time.After(100 * time.Millisecond):
			}
			if a, err := s.send(request{method: "GET", path: "/readyz"}, 2*time.Second); err != nil || a.status != 200 {
				all = append(all, fmt.Sprintf("%v %d %s", err, a.status, a.start))
			}
		}
	}()
	return func() []string { close(over); return <-bad }
}

// With 20 and 100 times more clients than it can serve, the service sheds what it cannot serve in
// time: what it accepts is not much slower than at full load, its memory stays bounded, a balancer is
// not told that it is not ready, and soon after the rush everything is as before.
func TestARushIsShed(t *testing.T) {
	costly(t, "many clients at once")
	s := begin(t, "--page-cache=0s") // so that each request is work
	lasts := short(time.Second, 20*time.Second)
	crowds := []int{20 * fullLoad}
	if long {
		crowds = append(crowds, 100*fullLoad)
	}
	for name, asks := range map[string]func(*rand.Rand) request{"pages": pages, "mixed": mixed} {
		s.stress(fullLoad, lasting(lasts/3), asks) // caches fill, connections open
		for _, crowd := range crowds {
			s.rush(t, name, crowd, lasts, asks)
			client.CloseIdleConnections()
			time.Sleep(short(time.Second, 2*time.Second)) // until everything is as before
			s.visited(t, func() { time.Sleep(500 * time.Millisecond) })
		}
	}
}

// rush compares a crowd with full load. Both include other work of the machine, so what is
// slower is measured up to three times, as [testkit.Least] does.
func (s *server) rush(t *testing.T, name string, crowd int, lasts time.Duration, asks func(*rand.Rand) request) {
	t.Helper()
	for tries := 1; ; tries++ {
		clients, full := s.busy(lasts, asks)
		t.Logf("%s, %d clients: %v", name, clients, full)
		testkit.Check(t, full.shed <= len(full.accepted)/50 && full.failed+len(full.others) == 0, "at full load: %v %.3v", full, full.others)
		s.forgetPeak(t)
		stop := s.readiness()
		over := s.byItsLog(crowd, lasts, asks)
		if bad := stop(); len(bad) > 0 {
			t.Errorf("%d clients: it was not ready %d times, first %s", crowd, len(bad), bad[0])
		}
		t.Logf("%s, %d clients: %v; memory %d MB", name, crowd, over, s.peak(t)>>20)
		testkit.Check(t, over.unnamed == 0, "%d of %d refusals have no Retry-After", over.unnamed, over.shed)
		testkit.Check(t, over.failed == 0 && len(over.others) == 0, "%d clients: %d without an answer, %.3v", crowd, over.failed, over.others)
		s.bounded(t, fmt.Sprintf("for %d clients", crowd))
		prompt := over.p99() <= max(4*full.p99(), short(750*time.Millisecond, 0))
		many := len(over.accepted)*int(full.took) >= len(full.accepted)*int(over.took)/3
		if prompt && many || tries == 3 || t.Failed() {
			testkit.Check(t, prompt, "%d clients: what was accepted took %v (p99), at full load %v", crowd, over.p99(), full.p99())
			testkit.Check(t, many, "%d clients: %v, at full load %v", crowd, over, full)
			return
		}
	}
}

// A signal under load: not ready at once, then what is under way is answered, and the
// process ends by itself with status 0.
func TestASignalUnderLoad(t *testing.T) {
	costly(t, "many clients at once")
	s := begin(t, "--drain-delay=3s")
	requests := func() int { return len(answered.FindAllString(s.log.String(), -1)) }
	before := requests()
	var over atomic.Bool
	asked := make(chan load)
	go func() { asked <- s.stress(few, func() bool { return !over.Load() }, pages) }()
	until(t, "pages are answered", func() bool { return requests() >= before+2*few })
	s.interrupt()
	until(t, "it is not ready", func() bool {
		a, err := s.send(request{method: "GET", path: "/readyz"}, 5*time.Second)
		testkit.Need(t, err == nil, "the listener was closed before it was said to be: %v", err)
		return a.status == 503
	})
	before = requests()
	until(t, "pages are still answered", func() bool { return requests() >= before+2*few })
	over.Store(true)
	l := <-asked
	testkit.Check(t, l.failed == 0 && l.shed == 0 && len(l.others) == 0, "before the listener was closed: %v %.3v", l, l.others)
	testkit.Check(t, s.listening(), "it does not wait for balancers")
	select {
	case <-s.end:
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	testkit.Equal(t, s.cmd.ProcessState.ExitCode(), 0, "it ended with")
}

// patience is how long a test waits for what takes milliseconds.
const patience = 90 * time.Second

// until waits for a condition of another process.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for waits := lasting(patience); !holds(); time.Sleep(10 * time.Millisecond) {
		testkit.Need(t, waits(), "in vain: %s", what)
	}
}

// One address whose clients all send dear requests at once leaves slots for others.
func TestOneClientLeavesSlots(t *testing.T) {
	costly(t, "many clients at once")
	s := begin(t, "--page-cache=0s", "--max-concurrent=8")
	dear := func(_, i int) request {
		return query(fmt.Sprintf(`{product(id:"42"){%s}}`, repeated(fmt.Sprintf("comments(first:%d){nodes{id text}}", 96+i), 7))).with("X-Forwarded-For", "203.0.113.7")
	}
	var answers []answer
	done := make(chan struct{})
	go func() {
		defer close(done)
		answers = s.crowd(60, 4, 20*time.Second, dear)
	}()
	visits := 0
	for over := false; !over; visits++ {
		a := testkit.Value(s.send(pages(rand.New(rand.NewPCG(2, uint64(visits)))), 10*time.Second))(t)
		testkit.Check(t, a.status == 200 && a.code() == "", "a visitor meanwhile: %d %.200s", a.status, a.start)
		select {
		case <-done:
			over = true
		case <-time.After(10 * time.Millisecond):
		}
	}
	reasons := map[string]int{}
	for _, a := range answers {
		reason := ""
		if len(a.errors) > 0 {
			reason, _ = a.errors[0].Extensions["reason"].(string)
		}
		reasons[reason]++
	}
	t.Logf("%d visits, %v", visits, reasons)
	testkit.Check(t, reasons["concurrency"] > 0 && reasons["overload"] == 0 && visits > 1, "%d visits, the crowd is answered %v", visits, reasons)
}

// Connections that send nothing, or nothing more, shut out no others. Where all have a request
// under way, operators are answered.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	costly(t, "it waits for time limits of connections")
	const most = 40
	s := begin(t, fmt.Sprint("--max-connections=", most))
	client.CloseIdleConnections()
	connect := func(sends string) {
		c := testkit.Value(net.Dial("tcp", strings.TrimPrefix(s.url, "http://")))(t)
		t.Cleanup(func() { c.Close() })
		testkit.Value(io.WriteString(c, sends))(t)
		if strings.HasSuffix(sends, "\r\n\r\n") {
			testkit.Value(http.ReadResponse(bufio.NewReader(c), nil))(t)
		}
	}
	for i := range 3 * most {
		connect([]string{"", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"}[i%2])
		if i%10 == 0 {
			a, err := s.send(request{method: "GET", path: "/readyz"}, 5*time.Second)
			testkit.Need(t, err == nil && a.status == 200, "with %d idle connections: %v %d %s", i, err, a.status, a.start)
			client.CloseIdleConnections()
		}
	}
	for range most { // closed after 5 s
		connect("GET / HTTP/1.1\r\nX-Slow: ")
	}
	response := testkit.Value(http.Get(s.admin + "/readyz"))(t)
	defer response.Body.Close()
	testkit.Equal(t, response.StatusCode, 200, "operators are answered")
}
