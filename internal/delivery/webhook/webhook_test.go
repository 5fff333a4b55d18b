package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"product-comments/internal/delivery/outbound"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/sealed"
	"product-comments/store/outbox"
	"product-comments/store/simulation/double"
)

// receiver is a receiver, an endpoint that names it, and a sender.
type receiver struct {
	Sender
	endpoint outbox.Endpoint
	secret   string
	answer   http.HandlerFunc // nil acknowledges
	mu       sync.Mutex
	bodies   [][]byte
	headers  []http.Header
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	x := &receiver{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		x.mu.Lock()
		x.bodies, x.headers = append(x.bodies, body), append(x.headers, r.Header)
		x.mu.Unlock()
		if x.answer != nil {
			x.answer(w, r)
		}
	}))
	t.Cleanup(server.Close)
	keys := testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)
	s := store.New(double.New(double.Options{}).Client("shop"), "comments", store.Options{Keys: keys})
	testkit.Must(t, s.EnsureTable(t.Context(), true))
	var err error
	x.endpoint, x.secret, err = s.Outbox().Create(t.Context(), outbox.Endpoint{URL: server.URL + "/hooks?token=s3cret", Types: outbox.Types})
	testkit.Must(t, err)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	x.Sender = Sender{Outbox: s.Outbox(), Agent: "test",
		Client: outbound.New(outbound.Options{Private: true, Timeout: time.Second, TLS: &tls.Config{RootCAs: roots}})}
	t.Cleanup(x.Client.Close)
	return x
}

func event(text string) *outbox.Event {
	at := key.Position{CreatedAt: time.Date(2026, 3, 9, 8, 7, 6, 5000, time.UTC), CommentID: "evt_1"}
	c := &item.Stored{}
	c.ID, c.ProductID, c.Rating, c.Language, c.Text, c.CreatedAt, c.Author, c.Owner = "7", "42", 4, "en", text, at.CreatedAt, "Ann", "the-owner"
	was := *c
	was.Rating = 3
	return &outbox.Event{ID: "evt_1", Type: outbox.Changed, At: at, Comment: c, Previous: &was, Changed: []string{"rating"}}
}

// A request has the body that docs/webhooks.md shows, names no person beyond the public author, and
// the official library verifies it, with the former secret too.
func TestSignedRequest(t *testing.T) {
	x := newReceiver(t)
	rotated, second, err := x.Outbox.Rotate(t.Context(), x.endpoint.ID, time.Hour)
	testkit.Must(t, err)
	x.endpoint = rotated
	got := x.Send(t.Context(), &x.endpoint, event("Good"))
	testkit.Need(t, got.Err == nil && len(x.bodies) == 1, "%+v", got)
	testkit.Equal(t, string(x.bodies[0]), `{"type":"comment.changed","timestamp":"2026-03-09T08:07:06.000005Z","data":{"version":1773043626000005,`+
		`"comment":{"productId":"42","commentId":"7","rating":4,"language":"en","createdAt":"2026-03-09T08:07:06.000005Z","author":"Ann","text":"Good"},`+
		`"previous":{"productId":"42","commentId":"7","rating":3,"language":"en","createdAt":"2026-03-09T08:07:06.000005Z","author":"Ann","text":"Good"},`+
		`"changed":["rating"]}}`, "the body")
	for _, secret := range []string{x.secret, second} {
		by := testkit.Value(standardwebhooks.NewWebhook(secret))(t)
		testkit.Must(t, by.Verify(x.bodies[0], x.headers[0]))
		err := by.Verify([]byte(strings.Replace(string(x.bodies[0]), "Good", "Bad", 1)), x.headers[0])
		testkit.Check(t, err != nil, "a changed body is verified")
	}
	testkit.Equal(t, x.headers[0].Get("Content-Type"), "application/json", "content type")
}

// A body has at most 256 KB: longer texts are cut between characters.
func TestLongTexts(t *testing.T) {
	e := event(strings.Repeat("🎒", 20_000))
	e.Comment.Attributes = json.RawMessage(`{"a":"` + strings.Repeat("x", 60_000) + `"}`)
	e.Previous.Attributes = e.Comment.Attributes
	b := Body(e, nil)
	var got struct {
		Data struct {
			Truncated         bool
			Comment, Previous struct{ Text string }
		}
	}
	testkit.Must(t, json.Unmarshal(b, &got))
	testkit.Check(t, len(b) <= maxBody && got.Data.Truncated && !strings.Contains(got.Data.Comment.Text, "\ufffd") && len(got.Data.Comment.Text) > cutText-4,
		"%d bytes, %d of text, truncated %t", len(b), len(got.Data.Comment.Text), got.Data.Truncated)
}

// hang holds a connection open until the client has gone.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func hijack(w http.ResponseWriter) net.Conn {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	return conn
}

// Whatever a receiver does, a delivery ends, and only 2xx acknowledges it.
func TestReceivers(t *testing.T) {
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string // part of the error; empty if it is acknowledged
		after  time.Duration
		gone   bool
	}{
		"acknowledges": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, "", 0, false},
		"fails":        {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no\ndisk\x00", 500) }, "it answered 500 Internal Server Error: ", 0, false},
		"is busy":      {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "120"); w.WriteHeader(429) }, "429", 2 * time.Minute, false},
		"is busy for ever": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "99999999999")
			w.WriteHeader(503)
		}, "503", 0, false},
		"says nonsense": {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Retry-After", "-1"); w.WriteHeader(503) }, "503", 0, false},
		"has moved": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
		}, "301", 0, false},
		"has gone":              {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, "410", 0, true},
		"never answers":         {hang, "in time", 0, false},
		"closes the connection": {func(w http.ResponseWriter, _ *http.Request) { hijack(w).Close() }, "EOF", 0, false},
		"closes within its answer": {func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab")
			c.Close()
		}, "broke off", 0, false},
		"closes within its headers": {func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nConte")
			c.Close()
		}, "connection broken", 0, false},
		"switches protocols": {func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
			_, _ = c.Read(make([]byte, 1)) // until the sender closes it
		}, "it answered 101", 0, false},
		"answers with nonsense": {func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n"+strings.Repeat("\x1b[31mno", 1000)+"\r\n\r\n")
		}, "malformed", 0, false},
		"streams without end": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "", 0, false},
		"sends endless headers": {func(w http.ResponseWriter, _ *http.Request) {
			c := hijack(w)
			defer c.Close()
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nX: ")
			for _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err == nil; _, err = io.WriteString(c, strings.Repeat("x", 1<<16)) {
			}
		}, "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newReceiver(t)
			x.answer = c.answer
			if name == "sends endless headers" {
				c.want = "header"
			}
			got := x.Send(t.Context(), &x.endpoint, event("Good"))
			testkit.Check(t, (got.Err == nil) == (c.want == "") && got.After == c.after && got.Gone == c.gone, "got %+v", got)
			if got.Err != nil {
				said := got.Err.Error()
				testkit.Check(t, strings.Contains(said, c.want) && !strings.Contains(said, "s3cret") && !strings.ContainsAny(said, "\n\x00\x1b") && len(said) < 1000, "it says %q", said)
			}
			x.mu.Lock()
			defer x.mu.Unlock()
			testkit.Check(t, len(x.bodies) == 1, "it got %d requests", len(x.bodies))
		})
	}
}

// A receiver with a certificate of an unknown authority gets nothing.
func TestWrongCertificate(t *testing.T) {
	x := newReceiver(t)
	x.Client = outbound.New(outbound.Options{Private: true})
	got := x.Send(t.Context(), &x.endpoint, event("Good"))
	testkit.Check(t, got.Err != nil && strings.Contains(got.Err.Error(), "certificate") && len(x.bodies) == 0, "%+v", got)
}
