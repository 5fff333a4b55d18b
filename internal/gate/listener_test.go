package gate

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// from is a connection from another machine.
type from struct {
	net.Conn
	addr string
}

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
	l := Connections{Most: 4, MostEach: 2, WhenRefused: func(reason string) { reasons = append(reasons, reason) }}.Listen(d)
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
			if !strings.HasPrefix(text, "503 Service Unavailable1there are ") || !strings.Contains(text, "the limit is ") {
				t.Errorf("turned away with %q", text)
			}
			return nil
		}
	}
	a, b := connect("192.0.2.1:1"), connect("192.0.2.1:2")
	if a == nil || b == nil || connect("192.0.2.1:3") != nil {
		t.Fatal("a client has two connections")
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	_ = a.Close() // counts once
	if connect("192.0.2.1:4") == nil || connect("192.0.2.1:5") != nil {
		t.Error("a closed connection makes room for one")
	}
	if connect("127.0.0.1:1") == nil || connect("127.0.0.1:2") == nil {
		t.Error("this machine is bounded by all connections alone")
	}
	if connect("127.0.0.1:3") != nil {
		t.Error("all connections are bounded")
	}
	if got := strings.Join(reasons, " "); got != "connections_of_client connections_of_client connections" {
		t.Error(got)
	}
}
