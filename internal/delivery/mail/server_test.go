package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"

	"product-comments/internal/testing/testkit"
)

// server is a mail server in memory or on loopback.
type server struct {
	*smtp.Server
	at net.Listener

	mu          sync.Mutex
	connections int
	last        *smtp.Conn
	got         []received
	// do is called at each step of a mail: connect, login, sender, recipient and mail. errHang
	// never answers, and errCut closes the connection.
	do func(step string) error
	// password is the one that it accepts, if not empty.
	password string
	over     chan struct{} // the test is over
}

type received struct {
	from, to string
	content  []byte
}

var errHang, errCut = errors.New("hang"), errors.New("cut")

// serve starts a server.
func serve(t testing.TB, at net.Listener, do func(step string) error) *server {
	t.Helper()
	s := &server{at: at, do: do, over: make(chan struct{})}
	s.Server = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		s.mu.Lock()
		s.connections, s.last = s.connections+1, c
		s.mu.Unlock()
		session := &session{s: s, c: c}
		return session, session.step("connect")
	}))
	s.AllowInsecureAuth, s.ErrorLog = true, log.New(io.Discard, "", 0)
	var running sync.WaitGroup
	running.Go(func() { _ = s.Server.Serve(at) })
	t.Cleanup(func() {
		close(s.over)
		s.Server.Close()
		running.Wait()
	})
	return s
}

// mails returns the mails that the server accepted.
func (s *server) mails() []received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.got
}

// session is a connection.
type session struct {
	s  *server
	c  *smtp.Conn
	in received
}

func (s *session) step(name string) error {
	if s.s.do == nil {
		return nil
	}
	err := s.s.do(name)
	switch err {
	case errHang:
		<-s.s.over
	case errCut:
		s.c.Conn().Close()
	}
	return err
}

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }
func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "shop@mail.example" || password != s.s.password {
			return smtp.ErrAuthFailed
		}
		return s.step("login")
	}), nil
}
func (s *session) Reset()        { s.in = received{} }
func (s *session) Logout() error { return nil }
func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	s.in.from = from
	return s.step("sender")
}
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.in.to = to
	return s.step("recipient")
}
func (s *session) Data(r io.Reader) (err error) {
	if s.in.content, err = io.ReadAll(r); err != nil {
		return err
	}
	if err := s.step("mail"); err != nil {
		return err
	}
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	s.s.got = append(s.s.got, s.in)
	return nil
}

// memory is a listener within the process, for tests with a clock of their own.
type memory struct {
	waiting chan net.Conn
	closed  context.Context
	close   context.CancelFunc
	open    atomic.Int64 // connections that the client has not closed
}

type counted struct {
	net.Conn
	once sync.Once
	open *atomic.Int64
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

func newMemory() *memory {
	m := &memory{waiting: make(chan net.Conn)}
	m.closed, m.close = context.WithCancel(context.Background())
	return m
}

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case m.waiting <- server:
		m.open.Add(1)
		return &counted{Conn: client, open: &m.open}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.closed.Done():
		return nil, net.ErrClosed
	}
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.waiting:
		return c, nil
	case <-m.closed.Done():
		return nil, net.ErrClosed
	}
}
func (m *memory) Close() error   { m.close(); return nil }
func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

// listen listens on loopback.
func listen(t testing.TB) net.Listener {
	t.Helper()
	return testkit.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
}

// certified returns a certificate for 127.0.0.1 and example.com, and the certificates that trust it.
func certified(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	made := httptest.NewTLSServer(nil)
	defer made.Close()
	trusted := x509.NewCertPool()
	trusted.AddCert(made.Certificate())
	return &tls.Config{Certificates: made.TLS.Certificates}, &tls.Config{RootCAs: trusted}
}

var templates = sync.OnceValues(func() (*Templates, error) { return LoadTemplates("") })

func writer(t testing.TB) *Writer {
	t.Helper()
	return testkit.Value(NewWriter("Example Shop <reviews@shop.example>", "help@shop.example", "", "product-comments/test", testkit.Value(templates())(t)))(t)
}

// to returns a sender to a server without encryption.
func to(t testing.TB, s *server, more ...func(*Options)) *Sender {
	t.Helper()
	o := Options{Writer: writer(t), URL: "smtp://localhost"}
	for _, change := range more {
		change(&o)
	}
	sender := testkit.Value(New(o))(t)
	if m, ok := s.at.(*memory); ok {
		sender.dial = m.dial
	} else {
		sender.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, s.at.Addr().String())
		}
	}
	t.Cleanup(sender.Close)
	return sender
}
