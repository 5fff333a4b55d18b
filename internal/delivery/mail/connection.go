package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/mail"
	"net/textproto"
	"regexp"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"product-comments/internal/delivery/outbound"
)

// Error is why a mail was not sent.
type Error struct {
	permanent, outage bool
	text              string
}

// Permanent reports whether the same mail will not be accepted later, either.
func (e *Error) Permanent() bool { return e.permanent }

// Outage reports whether other mails fail, too: the server cannot be reached or refuses all, until it
// is up again or the operator has mended something.
func (e *Error) Outage() bool { return e.outage }

// Error returns one short line with the server's words, without the person's address.
func (e *Error) Error() string { return e.text }

// failure returns the error of a step that failed.
func failure(ctx context.Context, step, to string, err error) *Error {
	var reply *textproto.Error
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.As(err, &reply):
		err = fmt.Errorf("%d %s", reply.Code, reply.Msg)
	case ctx.Err() != nil:
		err = errors.New("it was cancelled")
	case errors.As(err, &certificate):
		err = fmt.Errorf("its certificate is not valid: %w", certificate.Err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the server closed the connection")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		err = errors.New("the server did not answer in time")
	case strings.HasPrefix(err.Error(), "STARTTLS mode"):
		err = errors.New("the server has no STARTTLS: use smtps://, or a server that encrypts")
	}
	text := err.Error()
	if to != "" {
		text = regexp.MustCompile("(?i)"+regexp.QuoteMeta(to)).ReplaceAllLiteralString(text, "the address")
	}
	return &Error{text: step + ": " + outbound.Words(text)}
}

// connection is a connection to the server, after the login.
type connection struct {
	client *smtp.Client
	raw    net.Conn
	sent   int
}

// fresh returns a connection that is ready for a mail: the one that there is if it still works, or a
// new one.
func (s *Sender) fresh(ctx context.Context, c *connection) (*connection, error) {
	if c != nil && c.sent < perConnection {
		if c.step(step, c.client.Reset) == nil {
			return c, nil
		}
		c.raw.Close()
	} else {
		c.quit()
	}
	c = &connection{}
	stop := func() bool { return true }
	client, err := gomail.NewClient(s.host, append(s.options, gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
		raw, err := s.dial(dialing, network, address)
		if err != nil {
			return nil, err
		}
		c.raw = raw
		stop = context.AfterFunc(ctx, func() { raw.Close() })
		if !s.implicit {
			return raw, nil
		}
		encrypted := tls.Client(raw, s.tls)
		return encrypted, encrypted.HandshakeContext(dialing)
	}))...)
	if err == nil {
		c.client, err = client.DialToSMTPClientWithContext(ctx)
	}
	stop()
	if err != nil {
		if c.raw != nil {
			c.raw.Close() // the library leaves it open
		}
		failed := failure(ctx, "connect to the mail server "+s.host, "", err)
		failed.outage = true
		return nil, failed
	}
	return c, nil
}

// step runs a command with a deadline.
func (c *connection) step(limit time.Duration, do func() error) error {
	if err := c.client.UpdateDeadline(limit); err != nil {
		return err
	}
	return do()
}

// send sends a mail, and returns the connection if it can carry another one.
func (c *connection) send(ctx context.Context, from, to string, text []byte) (*connection, error) {
	defer context.AfterFunc(ctx, func() { c.raw.Close() })()
	c.sent++
	path := func(address string) string { return (&mail.Address{Address: address}).String() }
	var body io.WriteCloser
	for i, s := range []struct {
		what      string
		ofMail    bool // a refusal is of this mail; others are of the shop
		limit     time.Duration
		continues bool // a refusal leaves the connection as it was
		do        func() error
	}{
		{"the sender", false, step, true, func() error { return c.client.Mail(path(from)) }},
		{"the recipient", true, step, true, func() error { return c.client.Rcpt(path(to)) }},
		{"the mail", true, step, true, func() (err error) { body, err = c.client.Data(); return err }},
		{"the mail", false, step, false, func() error { _, err := body.Write(text); return err }},
		{"the mail", true, accepting, true, func() error { return body.Close() }},
	} {
		err := c.step(s.limit, s.do)
		if err == nil {
			continue
		}
		failed := failure(ctx, "send "+s.what, to, err)
		failed.outage = i == 0 || ctx.Err() != nil
		var reply *textproto.Error
		if !errors.As(err, &reply) {
			c.raw.Close()
			return nil, failed
		}
		// 503 and 530 to 538 are about the commands before, and the login (RFC 5321, RFC 4954).
		failed.permanent = s.ofMail && reply.Code/100 == 5 && reply.Code != 503 && reply.Code/10 != 53
		return c, failed
	}
	return c, nil
}

// quit ends a connection, if there is one.
func (c *connection) quit() {
	if c == nil {
		return
	}
	_ = c.step(time.Second, c.client.Quit) // a server need not answer
	c.raw.Close()
}
