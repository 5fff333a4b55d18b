package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/testing/testkit"
	"product-comments/store/derive/stream"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener := testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	return listener
}

// Between the signal and the end of listening a process answers on, but says that it
// is not ready. Operators are served until the last request is answered.
func TestDraining(t *testing.T) {
	health := httpapi.NewHealth(httpapi.Config{
		Ready:     func(context.Context) error { return nil },
		Projector: func() stream.Status { return stream.Status{} }, Log: quiet, Telemetry: telemetry.New(telemetry.Options{}),
	})
	public, operators := listen(t), listen(t)
	servers := serving{log: quiet, delay: 300 * time.Millisecond}
	drained := make(chan struct{})
	servers.drain = func() { health.Drain(); close(drained) }
	servers.add(public, newServer(health.Public(), time.Second, quiet))
	servers.addOperators(operators, nil, health.Operators())
	ask := func(listener net.Listener, path string) (int, string) {
		response := testkit.Value(http.Get("http://" + listener.Addr().String() + path))(t)
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		return response.StatusCode, string(body)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- servers.serve(ctx) }()
	status, _ := ask(public, "/readyz")
	testkit.Check(t, status == http.StatusOK, "before the signal: %d", status)
	start := time.Now()
	cancel()
	<-drained
	status, body := ask(public, "/readyz")
	testkit.Check(t, status == http.StatusServiceUnavailable && strings.Contains(body, "shutting down"), "/readyz while draining: %d, %s", status, body)
	status, _ = ask(public, "/healthz")
	testkit.Check(t, status == http.StatusOK, "/healthz while draining: %d", status)
	status, body = ask(operators, "/readyz?verbose")
	testkit.Check(t, status == http.StatusServiceUnavailable && strings.Contains(body, "statistics: "), "/readyz?verbose while draining: %d, %s", status, body)
	testkit.Must(t, <-served)
	took := time.Since(start)
	testkit.Check(t, took >= servers.delay, "it stopped listening after %s", took)
}

func TestDrainDelay(t *testing.T) {
	here, there := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, &net.TCPAddr{IP: net.IPv4zero}
	second, below := time.Second, -time.Second
	for _, c := range []struct {
		flag *time.Duration
		addr net.Addr
		want time.Duration
	}{{nil, here, 0}, {nil, there, defaultDrainDelay}, {&second, here, second}} {
		f := drainFlags{c.flag}
		got := f.delay(c.addr)
		testkit.Check(t, got == c.want && f.check() == nil, "%+v: %s, %v", c, got, f.check())
	}
	testkit.Fails(t, (&drainFlags{&below}).check(), "--drain-delay is -1s")
}

// A second server on the machine continues without the default address of operators,
// and says so; an address that was asked for must be free.
func TestOperatorsAddress(t *testing.T) {
	taken := listen(t).Addr().String()
	var text bytes.Buffer
	log := slog.New(slog.NewTextHandler(&text, nil))
	listener, err := (&adminFlags{}).listen(taken, log)
	testkit.Check(t, listener == nil && err == nil && strings.Contains(text.String(), "level=WARN") && strings.Contains(text.String(), "--admin-addr"), "%v, %v\n%s", listener, err, &text)
	listener, err = (&adminFlags{AdminAddr: &taken}).listen("", log)
	testkit.Check(t, listener == nil && err != nil && strings.Contains(err.Error(), "--admin-addr"), "%v, %v", listener, err)
	none := ""
	listener, err = (&adminFlags{AdminAddr: &none}).listen(taken, log)
	testkit.Check(t, listener == nil && err == nil, "%v, %v", listener, err)
}

// Clients that are slow to send or to read are cut off, each in its time.
func TestServeEndsSlowClients(t *testing.T) {
	listener := listen(t)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		chunk := make([]byte, 1<<20)
		for range 64 { // more than the buffers of both ends hold
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	short := newServer(handler, 200*time.Millisecond, quiet)
	short.ReadHeaderTimeout, short.WriteTimeout = 100*time.Millisecond, 500*time.Millisecond
	servers := serving{log: quiet, drain: func() {}}
	servers.add(listener, short)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- servers.serve(ctx) }()
	for name, sent := range map[string]string{
		"headers": "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body":    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nx",
		"answer":  "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		conn := testkit.Value(net.Dial("tcp", listener.Addr().String()))(t)
		defer conn.Close()
		testkit.Value(io.WriteString(conn, sent))(t)
		if name == "answer" {
			// What it does not read, the server cannot send: its handler ends, which
			// the end of the server below waits for.
			continue
		}
		testkit.Must(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err := io.Copy(io.Discard, conn)
		testkit.Check(t, !errors.Is(err, os.ErrDeadlineExceeded), "a client that is slow with its %s is still connected", name)
	}
	s := newServer(handler, time.Second, quiet)
	testkit.Check(t, max(s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout) <= 20*time.Second, "usually clients have %s, %s and %s", s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout)
	start := time.Now()
	cancel()
	err := <-served
	testkit.Check(t, err == nil && time.Since(start) <= 10*time.Second, "it ended after %s: %v", time.Since(start), err)
}

// A page whose own name was made to lead to this machine sees nothing of operators.
func TestOperatorsAddressGoesByNames(t *testing.T) {
	health := httpapi.NewHealth(httpapi.Config{
		Ready:     func(context.Context) error { return nil },
		Projector: func() stream.Status { return stream.Status{} }, Log: quiet, Telemetry: telemetry.New(telemetry.Options{}),
	})
	servers := serving{log: quiet}
	operators := listen(t)
	servers.addOperators(operators, []string{"Ops.example"}, health.Operators())
	everywhere := fakeListener{operators, &net.TCPAddr{IP: net.IPv4zero, Port: 8082}}
	servers.addOperators(everywhere, []string{"ops.example"}, health.Operators())
	servers.addOperators(everywhere, nil, health.Operators())
	for _, c := range []struct {
		host, path string
		status     [3]int // on a loopback address; on any, with a name, and without
	}{
		{"localhost:8082", "/readyz?verbose", [3]int{200, 200, 200}},
		{"127.0.0.1:8082", "/readyz?verbose", [3]int{200, 200, 200}},
		{"[::1]:8082", "/metrics", [3]int{200, 200, 200}},
		{"10.1.2.3:8082", "/readyz?verbose", [3]int{200, 200, 200}},
		{"ops.example", "/readyz?verbose=1", [3]int{200, 200, 200}},
		{"evil.example", "/readyz?verbose", [3]int{421, 421, 200}},
		{"evil.example:8082", "/readyz?a&%76erbose=", [3]int{421, 421, 200}},
		{"evil.example", "/metrics", [3]int{421, 421, 200}},
		{"evil.example", "/debug/pprof/", [3]int{421, 421, 200}},
		{"balancer.example", "/readyz", [3]int{200, 200, 200}},
		{"balancer.example", "/healthz", [3]int{200, 200, 200}},
	} {
		for i, server := range servers.all {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			r.Host = c.host
			if server.Handler.ServeHTTP(w, r); w.Code != c.status[i] {
				t.Errorf("%s of %s at address %d: %d %s", c.path, c.host, i, w.Code, w.Body)
			}
		}
	}
}

// fakeListener says that it listens elsewhere.
type fakeListener struct {
	net.Listener
	addr net.Addr
}

func (f fakeListener) Addr() net.Addr { return f.addr }
