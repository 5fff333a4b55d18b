package admission

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"product-comments/internal/testing/testkit"
)

// from is a connection from another machine.
type from struct {
	net.Conn
	addr string
}

// SetWriteDeadline does nothing: a pipe has no buffer, so its reader may need longer than a socket.
func (from) SetWriteDeadline(time.Time) error { return nil }

func (f from) RemoteAddr() net.Addr {
	addr, err := net.ResolveTCPAddr("tcp", f.addr)
	if err != nil {
		panic(err)
	}
	return addr
}

// doors is a listener whose connections come from a test.
type doors chan net.Conn

func (d doors) Accept() (net.Conn, error) {
	conn, ok := <-d
	if !ok {
		return nil, io.EOF
	}
	return conn, nil
}
func (doors) Close() error   { return nil }
func (doors) Addr() net.Addr { return nil }

func TestConnectionsAreBounded(t *testing.T) {
	d, reasons := make(doors, 10), []string{}
	l := newListener(d, 4, 2, nil, func(reason string) { reasons = append(reasons, reason) })
	accepted := make(chan net.Conn)
	var accepting sync.WaitGroup
	accepting.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	})
	defer accepting.Wait()
	defer close(d)
	// connect returns the server's end, nil if it was turned away.
	connect := func(addr string) net.Conn {
		t.Helper()
		here, there := net.Pipe()
		d <- from{there, addr}
		answer := make(chan string, 1)
		go func() {
			response, err := http.ReadResponse(bufio.NewReader(here), nil)
			if err != nil {
				answer <- ""
				return
			}
			text, _ := io.ReadAll(response.Body)
			answer <- response.Status + response.Header.Get("Retry-After") + string(text)
		}()
		select {
		case conn := <-accepted:
			return conn
		case text := <-answer:
			testkit.Check(t, strings.HasPrefix(text, "503 Service Unavailable1there are ") && strings.Contains(text, "the limit is "), "turned away with %q", text)
			return nil
		}
	}
	a, b := connect("192.0.2.1:1"), connect("192.0.2.1:2")
	testkit.Need(t, a != nil && b != nil && connect("192.0.2.1:3") == nil, "a client has two connections")
	testkit.Must(t, a.Close())
	_ = a.Close() // counts once
	testkit.Check(t, connect("192.0.2.1:4") != nil && connect("192.0.2.1:5") == nil, "a closed connection makes room for one")
	testkit.Check(t, connect("127.0.0.1:1") != nil && connect("127.0.0.1:2") != nil, "this machine is bounded by all connections alone")
	testkit.Check(t, connect("127.0.0.1:3") == nil, "all connections are bounded")
	got := strings.Join(reasons, " ")
	testkit.Check(t, got == "connections_of_client connections_of_client connections", "%v", got)
}

// From three quarters of the limit a new connection closes the one that has been idle longest, also
// one that has sent nothing yet. Connections with a request stay, and when all have one the limit
// holds.
func TestIdleConnectionsMakeRoom(t *testing.T) {
	d := make(doors, 1)
	l := newListener(d, 8, 8, nil, func(string) { close(d) })
	connect := func() net.Conn {
		_, there := net.Pipe()
		d <- from{there, "192.0.2.1:1"}
		c := testkit.Value(l.Accept())(t)
		l.Watch(c, http.StateNew)
		return c
	}
	var all []net.Conn
	for range 6 {
		all = append(all, connect())
	}
	open := func(want string) {
		t.Helper()
		got := ""
		for i, c := range all {
			if c.SetDeadline(time.Now()) == nil { // a closed pipe has an error
				got += strconv.Itoa(i)
			}
		}
		testkit.Equal(t, got, want, "open are")
	}
	open("012345")
	for i, states := range [][]http.ConnState{{http.StateActive}, {http.StateActive, http.StateIdle}} {
		for _, state := range states {
			l.Watch(all[i], state)
		}
	}
	all = append(all, connect()) // 2 has waited longest
	open("013456")
	l.Watch(all[2], http.StateClosed)
	for range 4 {
		all = append(all, connect())
	}
	open("06789" + "10")
	for _, c := range all {
		l.Watch(c, http.StateActive)
	}
	for range 2 {
		all = append(all, connect())
		l.Watch(all[len(all)-1], http.StateActive)
	}
	open("06789" + "101112")
	here, there := net.Pipe()
	d <- from{there, "192.0.2.1:1"}
	go func() { _, _ = l.Accept() }()
	response := testkit.Value(http.ReadResponse(bufio.NewReader(here), nil))(t)
	testkit.Equal(t, response.StatusCode, http.StatusServiceUnavailable, "with 8 requests under way")
	for _, c := range all {
		l.Watch(c, http.StateIdle)
		_ = c.Close()
		l.Watch(c, http.StateClosed)
	}
	testkit.Check(t, l.all == 0 && l.idle.Len() == 0, "%d are counted, %d are idle", l.all, l.idle.Len())
}
