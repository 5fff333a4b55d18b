package gate

import (
	"fmt"
	"net"
	"sync"
	"time"
)

// Connections limit the concurrent connections of a listener. A connection beyond the limit gets
// an error and is closed, because leaving it waiting would block all connections behind it.
type Connections struct {
	Most        int // of all clients together; 0 for no limit
	MostEach    int // of one client, by Client.Key; 0 for no limit
	Proxies     Proxies
	WhenRefused func(reason string) // may be nil
}

// Reasons of refused connections.
const (
	ReasonConnections       = "connections"
	ReasonClientConnections = "connections_of_client"
)

// Listen returns a listener with limited connections. Trusted proxies and this machine have no
// limit for one client.
func (c Connections) Listen(l net.Listener) net.Listener {
	return &boundedListener{Listener: l, Connections: c, each: map[string]int{}}
}

type boundedListener struct {
	net.Listener
	Connections

	mu   sync.Mutex
	all  int
	each map[string]int // by client, without clients that have none
}

// Accept implements net.Listener.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client := l.client(conn)
		reason, count, most := l.enter(client)
		if reason == "" {
			return &countedConn{Conn: conn, leave: sync.OnceFunc(func() { l.leave(client) })}, nil
		}
		if l.WhenRefused != nil {
			l.WhenRefused(reason)
		}
		reject(conn, fmt.Sprintf("there are %d connections already, the limit is %d", count, most))
	}
}

// client returns the key of the peer; empty if it has no limit.
func (l *boundedListener) client(conn net.Conn) string {
	addr := hostOf(conn.RemoteAddr().String())
	if !addr.IsValid() || l.MostEach <= 0 || addr.IsLoopback() || l.Proxies.Trusts(addr) {
		return ""
	}
	return Client{Addr: addr}.Key()
}

func (l *boundedListener) enter(client string) (reason string, count, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.Most > 0 && l.all >= l.Most:
		return ReasonConnections, l.all, l.Most
	case client != "" && l.each[client] >= l.MostEach:
		return ReasonClientConnections, l.each[client], l.MostEach
	}
	l.all++
	if client != "" {
		l.each[client]++
	}
	return "", 0, 0
}

func (l *boundedListener) leave(client string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all--
	if client == "" {
		return
	}
	if l.each[client]--; l.each[client] == 0 {
		delete(l.each, client)
	}
}

// reject answers a connection before its request, and closes it. A client that is still sending
// may not receive the answer.
func reject(conn net.Conn, why string) {
	_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)) // an empty buffer takes it at once
	_, _ = fmt.Fprintf(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain; charset=utf-8\r\n"+
		"Retry-After: 1\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s\n", len(why)+1, why)
	_ = conn.Close()
}

// countedConn is removed from the count when it is closed.
type countedConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
