package mail

import (
	"context"
	"crypto/tls"
	"encoding"
	"errors"
	"math"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"golang.org/x/time/rate"
)

// Rate is a number of mails a second. Its text is such as 5/s, 300/m or 1000/h.
type Rate float64

var _ encoding.TextUnmarshaler = new(Rate)

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	number, unit, _ := strings.Cut(string(text), "/")
	n, err := strconv.ParseFloat(number, 64)
	seconds := map[string]float64{"s": 1, "m": 60, "h": 3600}[unit]
	if err != nil || !(n > 0) || math.IsInf(n, 0) || seconds == 0 {
		return errors.New("it is no rate: give one such as 5/s, 300/m or 1000/h")
	}
	*r = Rate(n / seconds)
	return nil
}

// Options of a sender.
type Options struct {
	*Writer
	// URL is smtps://user@host:465, or smtp://user@host:587, where STARTTLS is required, or
	// smtp://localhost:25 without encryption.
	URL      string
	Password string
	Rate     Rate        // 0 for no bound
	TLS      *tls.Config // nil for the system's certificates; tests set it
}

// Times of a connection.
const (
	// step bounds connecting, with the login, and each command after it.
	step = 30 * time.Second
	// accepting bounds the wait for the server to accept a whole mail. A shorter one would send twice
	// what a slow filter accepts after all (RFC 5321, section 4.5.3.2.6).
	accepting = 2 * time.Minute
	// idle closes a connection that sends nothing, sooner than servers do.
	idle = 20 * time.Second
	// perConnection is how many mails a connection carries, since servers bound it, too.
	perConnection = 100
)

// Sender sends mails to one server, one after the other. It is safe for concurrent use.
type Sender struct {
	*Writer
	host     string
	port     int
	implicit bool // TLS from the first byte, without STARTTLS
	tls      *tls.Config
	options  []gomail.Option
	limit    *rate.Limiter
	conn     chan *connection // holds the connection, or nil, while no mail is sent
	timer    *time.Timer      // closes an idle connection
	dial     func(ctx context.Context, network, address string) (net.Conn, error)
}

// New returns a sender. It makes no connection yet.
func New(o Options) (*Sender, error) {
	u, err := url.Parse(o.URL)
	if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return nil, errors.New("the address of the mail server is not valid: give one such as smtps://user@mail.example:465") // it may hold a password
	}
	if _, has := u.User.Password(); has {
		return nil, errors.New("the address of the mail server holds a password, which logs would show: give it by SMTP_PASSWORD or a file")
	}
	switch user := u.User.Username(); {
	case user == "" && o.Password != "":
		return nil, errors.New("there is a password for the mail server, and no user: give an address such as smtps://user@mail.example")
	case user != "" && o.Password == "":
		return nil, errors.New("the mail server needs a password for the user of its address: give it by SMTP_PASSWORD or a file")
	}
	s := &Sender{Writer: o.Writer, host: u.Hostname(), implicit: u.Scheme == "smtps", limit: rate.NewLimiter(rate.Limit(o.Rate), 1),
		conn: make(chan *connection, 1), dial: new(net.Dialer).DialContext, tls: &tls.Config{}}
	if o.Rate == 0 {
		s.limit.SetLimit(rate.Inf)
	}
	if o.TLS != nil {
		s.tls = o.TLS.Clone()
	}
	s.tls.ServerName, s.tls.MinVersion = s.host, tls.VersionTLS12
	policy := gomail.NoTLS
	switch {
	case s.implicit:
		s.port = 465
	case loopback(s.host):
		s.port = 25
	default:
		s.port, policy = 587, gomail.TLSMandatory
	}
	if u.Port() != "" {
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return nil, errors.New("the port of the mail server is not valid: give one such as 465")
		}
	}
	s.options = []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(step), gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls), gomail.WithoutSMTPUTF8()}
	if u.User.Username() != "" {
		s.options = append(s.options, gomail.WithUsername(u.User.Username()), gomail.WithPassword(o.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	s.conn <- nil
	s.timer = time.AfterFunc(idle, s.rest)
	return s, nil
}

// Send sends a mail when its turn comes. Its error is an [*Error].
func (s *Sender) Send(ctx context.Context, m *Message) error {
	to, text, err := s.write(m, time.Now())
	if err != nil {
		return &Error{permanent: true, text: err.Error()}
	}
	if err := s.limit.Wait(ctx); err != nil {
		return failure(ctx, "wait for the rate", to, err)
	}
	var c *connection
	select {
	case c = <-s.conn:
	case <-ctx.Done():
		return failure(ctx, "wait for other mails", to, ctx.Err())
	}
	c, err = s.fresh(ctx, c)
	if err == nil {
		c, err = c.send(ctx, s.from.Address, to, text)
	}
	s.conn <- c
	s.timer.Reset(idle)
	return err
}

// rest closes an idle connection.
func (s *Sender) rest() {
	select {
	case c := <-s.conn:
		c.quit()
		s.conn <- nil
	default: // it is in use
	}
}

// Close waits for the mail that is sent and closes the connection.
func (s *Sender) Close() {
	c := <-s.conn
	s.timer.Stop()
	c.quit()
	s.conn <- nil
}
