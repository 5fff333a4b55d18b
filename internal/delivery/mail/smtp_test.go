package mail

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
	gomail "github.com/wneessen/go-mail"

	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
)

// parsed reads a mail as another program does.
func parsed(t *testing.T, content []byte) (header mail.Header, text, html string) {
	t.Helper()
	m := testkit.Value(mail.ReadMessage(bytes.NewReader(content)))(t)
	kind, parameters, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	testkit.Need(t, err == nil && kind == "multipart/alternative", "%q, %v", kind, err)
	parts := map[string]string{}
	for r := multipart.NewReader(m.Body, parameters["boundary"]); ; {
		p, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		testkit.Must(t, err)
		parts[p.Header.Get("Content-Type")] = string(testkit.Value(io.ReadAll(quotedprintable.NewReader(p)))(t))
	}
	testkit.Check(t, len(parts) == 2, "%d parts", len(parts))
	unix := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
	return m.Header, unix(parts["text/plain; charset=UTF-8"]), unix(parts["text/html; charset=UTF-8"])
}

func decoded(t *testing.T, text string) string {
	t.Helper()
	return testkit.Value(new(mime.WordDecoder).DecodeHeader(text))(t)
}

// A mail arrives in each language as its golden files have it, with the headers that mails of programs
// need. Sections have the same languages, and the same words for stars.
func TestLanguages(t *testing.T) {
	s := serve(t, listen(t), nil)
	sender := to(t, s)
	for i, tag := range languages {
		for _, reminder := range []bool{false, true} {
			m := Example(tag)
			m.Reminder = reminder
			testkit.Must(t, sender.Send(t.Context(), m))
			got := s.mails()[len(s.mails())-1]
			testkit.Equal(t, got.from+" "+got.to, "reviews@shop.example alice@example.org", "%s: the envelope", tag)
			header, text, html := parsed(t, got.content)
			text = "Subject: " + decoded(t, header.Get("Subject")) + "\n\n" + text
			if reminder {
				manual.File(t, "testdata/"+tag+"-2.txt", text)
				continue
			}
			manual.File(t, "testdata/"+tag+".txt", text)
			manual.File(t, "testdata/"+tag+".html", html)
			for name, want := range map[string]string{
				"From": `"Example Shop" <reviews@shop.example>`, "Reply-To": "<help@shop.example>", "To": `"Alice Example" <alice@example.org>`,
				"Message-Id": "<" + m.ID + "@shop.example>", "Auto-Submitted": "auto-generated", "List-Unsubscribe": "<" + m.OptOut + ">",
				"List-Unsubscribe-Post": "List-Unsubscribe=One-Click", "User-Agent": "product-comments/test", "Mime-Version": "1.0",
			} {
				testkit.Equal(t, strings.Join(header[name], "|"), want, "%s: %s", tag, name)
			}
			at, err := header.Date()
			testkit.Check(t, err == nil && time.Since(at) < time.Minute, "the date is %v, %v", at, err)
			for line := range bytes.Lines(got.content) {
				testkit.Check(t, len(line) <= 1000 && bytes.HasSuffix(line, []byte("\r\n")) && !bytes.ContainsFunc(line, func(r rune) bool { return r > 126 }), "%q", line)
			}
		}
		l := reviews.LabelsFor(tag)
		testkit.Equal(t, strings.ReplaceAll(sender.templates.sentences[i].Texts["stars"], "{n}", "4"), l.Text("stars", "n", 4), "%s: stars", tag)
		testkit.Equal(t, l.Tag, tag, "the section's language")
	}
	for tag, want := range map[string]string{"de-AT": "de", "ar-EG": "ar", "": "en", "tlh": "en", "!!": "en"} {
		_, _, html, err := sender.templates.render("Shop", Example(tag))
		testkit.Check(t, err == nil && strings.Contains(html, `<html lang="`+want+`"`), "%q is not %s", tag, want)
	}
	testkit.Equal(t, s.connections, 1, "connections")
}

// A repeat is the same mail, but for its date.
func TestRepeat(t *testing.T) {
	w := writer(t)
	at := time.Date(2026, 3, 1, 11, 0, 0, 0, time.FixedZone("", 2*60*60))
	first := testkit.Value(w.Write(Example("ja"), at))(t)
	again := testkit.Value(w.Write(Example("ja"), at.Add(time.Hour)))(t)
	testkit.Equal(t, strings.Replace(string(again), "10:00:00", "09:00:00", 1), string(first), "the repeat")
	testkit.Check(t, bytes.Contains(first, []byte("Date: Sun, 01 Mar 2026 09:00:00 +0000\r\n")), "%.500s", first)
}

// refusal returns a server's answer.
func refusal(code int, words string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.NoEnhancedCode, Message: words}
}

// What the server does at a step decides whether the mail is sent again. Each error says what happened,
// on one line, and without the address; then the server is well again, and so is the sender.
func TestFaults(t *testing.T) {
	for name, c := range map[string]struct {
		at        string
		err       error
		permanent bool
		says      string
		takes     time.Duration
	}{
		"greylisting":          {"recipient", refusal(451, "4.7.1 greylisted, try again"), false, "send the recipient: 451 4.7.1 greylisted, try again", 0},
		"no such user":         {"recipient", refusal(550, "<Alice@Example.org>: no such user"), true, "send the recipient: 550 <the address>: no such user", 0},
		"bad address":          {"recipient", refusal(501, "bad address"), true, "send the recipient: 501 bad address", 0},
		"login wanted":         {"recipient", refusal(530, "authentication required"), false, "send the recipient: 530 authentication required", 0},
		"wrong sequence":       {"recipient", refusal(503, "bad sequence"), false, "send the recipient: 503 bad sequence", 0},
		"shuts down":           {"recipient", refusal(421, "closing"), false, "send the recipient: 421 closing", 0},
		"recipient stalls":     {"recipient", errHang, false, "send the recipient: the server did not answer in time", step},
		"recipient is cut":     {"recipient", errCut, false, "send the recipient: the server closed the connection", 0},
		"content refused":      {"mail", refusal(554, "looks\x07 like\nspam"+strings.Repeat("!", 500)), true, "send the mail: 554 looks", 0},
		"mailbox full":         {"mail", refusal(452, "full"), false, "send the mail: 452 full", 0},
		"mail stalls":          {"mail", errHang, false, "send the mail: the server did not answer in time", accepting},
		"cut after the mail":   {"mail", errCut, false, "send the mail: the server closed the connection", 0},
		"sender refused":       {"sender", refusal(550, "not your domain"), false, "send the sender: 550 not your domain", 0},
		"sender stalls":        {"sender", errHang, false, "send the sender: the server did not answer in time", step},
		"greeting refused":     {"connect", refusal(554, "no service"), false, "connect to the mail server localhost: ", 0},
		"greeting stalls":      {"connect", errHang, false, "connect to the mail server localhost: the server did not answer in time", step},
		"greeting is cut":      {"connect", errCut, false, "connect to the mail server localhost: the server closed the connection", 0},
		"login stalls":         {"login", errHang, false, "connect to the mail server localhost: the server did not answer in time", step},
		"login refused":        {"login", smtp.ErrAuthFailed, false, "connect to the mail server localhost: 535 5.7.8 Authentication failed", 0},
		"login has a bad hour": {"login", refusal(454, "4.7.0 later"), false, "connect to the mail server localhost: 454 4.7.0 later", 0},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				well := false
				at := newMemory()
				s := serve(t, at, func(step string) error {
					if well || step != c.at {
						return nil
					}
					return c.err
				})
				s.password = "secret"
				sender := to(t, s, func(o *Options) { o.URL, o.Password = "smtp://shop%40mail.example@localhost", "secret" })
				start := time.Now()
				err := sender.Send(t.Context(), Example("en"))
				var failed *Error
				testkit.Need(t, errors.As(err, &failed), "got %v", err)
				testkit.Check(t, strings.HasPrefix(err.Error(), c.says) && len(err.Error()) < 300 && !strings.ContainsAny(err.Error(), "\a\n"), "it says %q", err)
				testkit.Check(t, !strings.Contains(strings.ToLower(err.Error()), "alice"), "%q has the address", err)
				testkit.Equal(t, failed.Permanent(), c.permanent, "permanent")
				testkit.Equal(t, failed.Outage(), strings.HasPrefix(c.says, "connect") || strings.HasPrefix(c.says, "send the sender") || strings.HasSuffix(c.says, "it was cancelled"), "an outage: "+c.says)
				testkit.Equal(t, time.Since(start), c.takes, "time")
				synctest.Wait()
				well = true
				testkit.Must(t, sender.Send(t.Context(), Example("en")))
				testkit.Equal(t, len(s.mails()), 1, "mails")
				sender.Close()
				testkit.Equal(t, at.open.Load(), 0, "connections that are left open")
			})
		})
	}
}

// A cancelled mail ends at once, wherever it is, and its connection is not used again.
func TestCancelled(t *testing.T) {
	for _, at := range []string{"connect", "sender", "mail"} {
		synctest.Test(t, func(t *testing.T) {
			well := false
			s := serve(t, newMemory(), func(step string) error {
				if well || step != at {
					return nil
				}
				return errHang
			})
			sender := to(t, s)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			start := time.Now()
			err := sender.Send(ctx, Example("en"))
			testkit.Fails(t, err, "it was cancelled")
			testkit.Equal(t, time.Since(start), time.Second, "%s: time", at)
			synctest.Wait()
			well = true
			testkit.Must(t, sender.Send(t.Context(), Example("en")))
			cancel()
			testkit.Must(t, sender.Send(t.Context(), Example("en")))
			testkit.Equal(t, s.connections, 2, "%s: connections", at)
		})
	}
}

// Mails share a connection, until it has carried many, is idle, or the server has closed it.
func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, newMemory(), nil)
		sender := to(t, s)
		send := func() {
			ctx, cancel := context.WithCancel(t.Context())
			testkit.Must(t, sender.Send(ctx, Example("en")))
			cancel() // which is too late
			synctest.Wait()
		}
		for range 2*perConnection + 1 {
			send()
		}
		testkit.Equal(t, s.connections, 3, "connections for many mails")
		time.Sleep(idle - 1)
		send()
		testkit.Equal(t, s.connections, 3, "connections before the idle time")
		for want := range 2 {
			time.Sleep(idle)
			synctest.Wait()
			send()
			testkit.Equal(t, s.connections, 4+want, "connections after the idle time")
		}
		s.last.Conn().Close() // as servers do that have waited long enough
		send()
		testkit.Equal(t, s.connections, 6, "connections after the server closed one")
		testkit.Equal(t, len(s.mails()), 2*perConnection+5, "mails")
	})
}

// Many mails leave at the rate, also from several senders at once.
func TestRate(t *testing.T) {
	const senders = 10
	n := 1_000
	if testkit.All(t) {
		n = 10_000
	}
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, newMemory(), nil)
		sender := to(t, s, func(o *Options) { testkit.Must(t, o.Rate.UnmarshalText([]byte("300/m"))) })
		start := time.Now()
		testkit.AtOnce(senders, func(i int) {
			for j := range n / senders {
				m := Example("en")
				m.ID = fmt.Sprintf("r%dm%d", i, j)
				testkit.Must(t, sender.Send(t.Context(), m))
			}
		})
		testkit.Equal(t, time.Since(start).Round(time.Second), time.Duration(n/5)*time.Second, "time of %d mails", n)
		testkit.Check(t, len(s.mails()) == n && s.connections == n/perConnection, "%d mails by %d connections", len(s.mails()), s.connections)
	})
}

// Connections are encrypted, and to the server that is meant.
func TestTLS(t *testing.T) {
	have, trust := certified(t)
	for name, c := range map[string]struct {
		url      string
		implicit bool
		server   *tls.Config
		client   *tls.Config
		password string
		says     string // nothing: the mail arrives
	}{
		"implicit":          {"smtps://shop%40mail.example@example.com", true, have, trust, "secret", ""},
		"STARTTLS":          {"smtp://shop%40mail.example@example.com", false, have, trust, "secret", ""},
		"no login":          {"smtps://127.0.0.1", true, have, trust, "", ""},
		"wrong password":    {"smtps://shop%40mail.example@example.com", true, have, trust, "wrong", "535 5.7.8"},
		"no STARTTLS":       {"smtp://shop%40mail.example@example.com", false, nil, trust, "secret", "the server has no STARTTLS: use smtps://"},
		"unknown authority": {"smtps://example.com", true, have, nil, "", "its certificate is not valid: x509: certificate signed by unknown authority"},
		"another name":      {"smtps://mail.example", true, have, trust, "", "its certificate is not valid: x509: certificate is valid for "},
		"STARTTLS, another": {"smtp://mail.example", false, have, trust, "", "its certificate is not valid: x509: certificate is valid for "},
		"not TLS":           {"smtps://example.com", false, nil, trust, "", "connect to the mail server example.com: tls: first record does not look like a TLS handshake"},
	} {
		at := listen(t)
		if c.implicit {
			at = tls.NewListener(at, c.server)
		}
		s := serve(t, at, nil)
		s.password = "secret"
		if !c.implicit {
			s.TLSConfig = c.server
		}
		sender := to(t, s, func(o *Options) { o.URL, o.Password, o.TLS = c.url, c.password, c.client })
		err := sender.Send(t.Context(), Example("en"))
		if c.says == "" {
			testkit.Check(t, err == nil && len(s.mails()) == 1, "%s: %v", name, err)
			continue
		}
		testkit.Fails(t, err, c.says)
		var failed *Error
		testkit.Check(t, errors.As(err, &failed) && !failed.Permanent() && len(s.mails()) == 0, "%s: %+v", name, err)
	}
}

func TestOptions(t *testing.T) {
	for url, want := range map[string]string{
		"smtps://u@mail.example":          "mail.example:465 implicit",
		"smtps://u@mail.example:2465/":    "mail.example:2465 implicit",
		"smtp://u@mail.example":           "mail.example:587 TLSMandatory",
		"smtp://u@127.0.0.1.example":      "127.0.0.1.example:587 TLSMandatory",
		"smtp://u@127.0.0.2":              "127.0.0.2:587 TLSMandatory",
		"smtp://u@localhost":              "localhost:25 NoTLS",
		"smtp://u@127.0.0.1:1025":         "127.0.0.1:1025 NoTLS",
		"smtp://u@[::1]:1025":             "::1:1025 NoTLS",
		"smtps://u@localhost":             "localhost:465 implicit",
		"smtp://u:hunter2@mail.example":   "!give it by SMTP_PASSWORD",
		"smtp://u:@mail.example":          "!give it by SMTP_PASSWORD",
		"smtp://mail.example":             "!a password for the mail server, and no user",
		"smtp://u:hunter2@mail.example:x": "!is not valid",
		"https://mail.example":            "!is not valid",
		"mail.example:25":                 "!is not valid",
		"smtp://":                         "!is not valid",
		"smtp://u@mail.example/hunter2":   "!is not valid",
		"smtp://u@mail.example?tls=off":   "!is not valid",
		"smtp://u@mail.example:70000":     "!port",
		"smtp://u@mail.example:0":         "!port",
	} {
		s, err := New(Options{Writer: writer(t), URL: url, Password: "secret"})
		if why, fails := strings.CutPrefix(want, "!"); fails {
			testkit.Fails(t, err, why)
			testkit.Check(t, err != nil && !strings.Contains(err.Error(), "hunter2"), "%v", err)
			continue
		}
		testkit.Need(t, err == nil, "%s: %v", url, err)
		how := testkit.Value(gomail.NewClient(s.host, s.options...))(t).TLSPolicy()
		if s.implicit {
			how = "implicit"
		}
		testkit.Equal(t, fmt.Sprintf("%s:%d %s", s.host, s.port, how), want, "%s", url)
		s.Close()
	}
	testkit.Fails(t, testkit.Err(New(Options{Writer: writer(t), URL: "smtps://u@mail.example"})), "needs a password")
	for text, want := range map[string]Rate{"5/s": 5, "300/m": 5, "1800/h": 0.5, "0.5/s": 0.5, "": 0, "5": 0, "0/s": 0, "-1/s": 0, "5/d": 0, "NaN/s": 0, "Inf/s": 0, "/s": 0, "5/s/s": 0} {
		var r Rate
		err := r.UnmarshalText([]byte(text))
		testkit.Check(t, r == want && (err == nil) == (want > 0), "%q: %v, %v", text, r, err)
	}
}

// Mails without a bound of the rate, with one connection on loopback.
func BenchmarkSend(b *testing.B) {
	s := serve(b, listen(b), nil)
	sender := to(b, s)
	for b.Loop() {
		testkit.Must(b, sender.Send(b.Context(), Example("en")))
	}
}
