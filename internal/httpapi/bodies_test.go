package httpapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/internal/admission"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
)

// pipes is a listener whose connections are in memory, so that a virtual clock can run.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return address("192.0.2.99:80") }

// dial connects from an address.
func (p *pipes) dial(ip string) net.Conn {
	theirs, ours := net.Pipe()
	p.conns <- conn{ours, address(ip + ":1234")}
	return theirs
}

type conn struct {
	net.Conn
	remote net.Addr
}

func (c conn) RemoteAddr() net.Addr { return c.remote }

type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }

// overPipes serves a gate with the room of --memory 256MiB, and the server's own times.
func overPipes(t *testing.T, table *empty) (l *pipes, stop func()) {
	t.Helper()
	memory := admission.Divide(256<<20, 64<<20)
	const patience = 100 * time.Millisecond
	h := handler(t, table, func(c *httpapi.Config) {
		c.Limits.Answers = admission.NewPool(memory.Answers, memory.Answers, 256, patience)
		c.Limits.Bodies = admission.NewPool(memory.Bodies, memory.Bodies/2, 256, patience)
	})
	l = &pipes{make(chan net.Conn), make(chan struct{})}
	timeout := admission.DefaultLimits.Timeout
	s := &http.Server{
		Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: timeout, WriteTimeout: 2 * timeout,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelWarn),
	}
	served := make(chan error)
	go func() { served <- s.Serve(l) }()
	return l, func() {
		_ = s.Close()
		<-served
	}
}

// drips is a body that comes evenly.
type drips struct {
	io.Reader
	piece int
	every time.Duration
}

func (d drips) Read(p []byte) (int, error) {
	time.Sleep(d.every)
	return d.Reader.Read(p[:min(len(p), d.piece)])
}

// answered sends a body of an announced length from an address, and returns the status,
// and the first error's reason and sentence.
func (p *pipes) answered(ip string, body io.Reader, length int) (status int, reason, says string, err error) {
	c := p.dial(ip)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", length)
		_, _ = io.Copy(c, body) // it ends when the connection does
	}()
	defer func() {
		_ = c.Close()
		<-sent
	}()
	response, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0, "", "", err
	}
	defer response.Body.Close()
	var a struct {
		Errors []struct {
			Message    string
			Extensions struct{ Reason string }
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&a); err != nil {
		return response.StatusCode, "", "", err
	}
	if len(a.Errors) > 0 {
		reason, says = a.Errors[0].Extensions.Reason, a.Errors[0].Message
	}
	return response.StatusCode, reason, says, nil
}

// asking is a request for a page of so many bytes.
func asking(bytes int) string {
	text := `{"query":"` + strings.ReplaceAll(page, `"`, `\"`) + `"}`
	return text + strings.Repeat(" ", max(0, bytes-len(text)))
}

// Clients of one address that begin large bodies and stop in the middle delay no page,
// and no body of another address. They are soon disconnected, with a reason.
func TestStalledBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, stop := overPipes(t, &empty{})
		defer stop()
		const attackers, announced, sent = 90, 520_000, 270_000
		var running sync.WaitGroup
		var mu sync.Mutex
		told := map[string]int{}
		attack := func() {
			for range attackers {
				running.Go(func() {
					began := time.Now()
					status, reason, says, err := l.answered("192.0.2.66", strings.NewReader(asking(sent)), announced)
					mu.Lock()
					defer mu.Unlock()
					told[fmt.Sprint(status, " ", reason)]++
					testkit.Check(t, err == nil && (status == 408 || status == 429 || status == 503) && (status != 408 || strings.Contains(says, "Send it again")), "who stalls: %d %q, %v", status, says, err)
					took := time.Since(began)
					testkit.Check(t, took <= 11*time.Second, "who stalls was let go after %s", took)
				})
			}
		}
		attack()
		running.Go(func() { // again and again
			for range 3 {
				time.Sleep(5 * time.Second)
				attack()
			}
		})
		const neighbour = "192.0.2.1"
		for range 200 {
			status, reason, says, err := l.answered(neighbour, strings.NewReader(asking(0)), len(asking(0)))
			testkit.Check(t, err == nil && status == 200, "a page at the same time: %d %s %s %v", status, reason, says, err)
			time.Sleep(100 * time.Millisecond)
		}
		status, reason, _, err := l.answered(neighbour, strings.NewReader(asking(300_000)), 300_000)
		testkit.Check(t, err == nil && status == 200, "a large body from elsewhere: %d %s %v", status, reason, err)
		running.Wait()
		testkit.Check(t, told["408 slow_body"] != 0 && told["429 bodies"] != 0, "%v", told)
	})
}

// A slow client gets through, and what it asked for has its own time to run; one that
// sends next to nothing does not.
func TestSlowBodies(t *testing.T) {
	for _, c := range []struct {
		name          string
		bytes, second int           // of the body, that come
		store         time.Duration // that it takes
		want          int
	}{
		{"3G", 64 << 10, 16 << 10, 0, 200},
		{"bad 3G", 64 << 10, 8 << 10, 0, 200},
		{"just fast enough, and a slow store", 31 << 10, 4 << 10, 2 * time.Second, 200},
		{"a little text by modem", 4 << 10, 1 << 10, 0, 200},
		{"drops", 64 << 10, 2 << 10, 0, 408},
		{"a little text in drops", 4 << 10, 100, 0, 408},
	} {
		synctest.Test(t, func(t *testing.T) {
			reads := 0
			l, stop := overPipes(t, &empty{hold: func(ctx context.Context) error {
				reads++
				select {
				case <-time.After(c.store):
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}})
			defer stop()
			body := drips{strings.NewReader(asking(c.bytes)), c.second / 10, 100 * time.Millisecond}
			status, reason, says, err := l.answered("192.0.2.1", body, c.bytes)
			testkit.Check(t, err == nil && status == c.want && (c.want != 200 || says == "") && (c.want == 408) == (reason == "slow_body"), "%s: %d %s %s, %v", c.name, status, reason, says, err)
			testkit.Check(t, (reads > 0) == (c.want == 200), "%s: the store was read %d times", c.name, reads)
		})
	}
}
