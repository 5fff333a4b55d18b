package admission

import (
	"container/list"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Listener limits the concurrent connections of a listener. A connection beyond the limit gets an
// error and is closed, because leaving it waiting would block all connections behind it, as
// golang.org/x/net/netutil.LimitListener does. From three quarters of the limit each new connection
// closes the one that has been idle longest. Trusted proxies and this machine have no share.
type Listener struct {
	net.Listener
	most    int // of all clients together; 0 for no limit
	share   int // of one client
	proxies Proxies
	refused func(reason string)

	mu   sync.Mutex
	all  int
	each map[string]int // by client, without clients that have no limit
	idle *list.List     // connections without a request, of which the first has been idle longest
}

func newListener(l net.Listener, most, share int, proxies Proxies, refused func(reason string)) *Listener {
	return &Listener{Listener: l, most: most, share: share, proxies: proxies, refused: refused, each: map[string]int{}, idle: list.New()}
}

// Watch is the http.Server.ConnState that keeps track of idle connections.
func (l *Listener) Watch(conn net.Conn, state http.ConnState) {
	c, ok := conn.(*countedConn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.idle != nil {
		l.idle.Remove(c.idle)
	}
	if state == http.StateNew || state == http.StateIdle {
		c.idle = l.idle.PushBack(c)
	}
}

// closeIdle closes the connection that has been idle longest, if there are many connections.
func (l *Listener) closeIdle() {
	l.mu.Lock()
	oldest := l.idle.Front()
	if oldest != nil && l.most > 0 && l.all >= l.most-l.most/4 {
		defer oldest.Value.(*countedConn).Close()
		l.idle.Remove(oldest)
	}
	l.mu.Unlock()
}

// Accept implements net.Listener.
func (l *Listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		l.closeIdle()
		client := l.client(conn)
		reason, count, most := l.enter(client)
		if reason == "" {
			return &countedConn{Conn: conn, leave: sync.OnceFunc(func() { l.leave(client) })}, nil
		}
		l.refused(reason)
		reject(conn, fmt.Sprintf("there are %d connections already, the limit is %d", count, most))
	}
}

// client returns the key of the peer; empty if it has no limit.
func (l *Listener) client(conn net.Conn) string {
	addr := hostOf(conn.RemoteAddr().String())
	if !addr.IsValid() || addr.IsLoopback() || l.proxies.Trust(addr) {
		return ""
	}
	return Client{Addr: addr}.Key()
}

func (l *Listener) enter(client string) (reason string, count, most int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.most > 0 && l.all >= l.most:
		return "connections", l.all, l.most
	case l.most > 0 && client != "" && l.each[client] >= l.share:
		return "connections_of_client", l.each[client], l.share
	}
	l.all++
	if client != "" {
		l.each[client]++
	}
	return "", 0, 0
}

func (l *Listener) leave(client string) {
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
	idle  *list.Element // of Listener.idle, unless it was removed there
}

// Close implements net.Conn.
func (c *countedConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
