package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/rs/cors"

	"product-comments/internal/gate"
)

// headers sets what tells browsers to be careful, on every answer. The playground
// has a policy of its own. Cross-Origin-Resource-Policy does not concern what pages
// fetch by CORS.
func headers(w http.ResponseWriter, r *http.Request, next http.Handler) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if clientOf(r.Context()).HTTPS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	next.ServeHTTP(w, r)
}

// endChunks ends the connection after a request whose body came in chunks. If it named a
// length too, a proxy in front may believe that one, and take what follows for a
// part of this request; Go's server drops the length before anybody sees it, so that
// such a request looks like any other in chunks. RFC 9112 section 6.1 asks for the end.
func endChunks(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	next.ServeHTTP(w, r)
}

// mostHeaders is how many headers a request may have; browsers behind a few proxies
// send 30.
const mostHeaders = 100

// sizes bounds the URL and the headers.
func (s *server) sizes(w http.ResponseWriter, r *http.Request, next http.Handler) {
	bytes, count := len(r.Host), 0
	for name, values := range r.Header {
		for _, v := range values {
			bytes += len(name) + len(v)
			count++
		}
	}
	const tooLong, tooLarge = http.StatusRequestURITooLong, http.StatusRequestHeaderFieldsTooLarge
	g := s.Gate
	switch url := len(r.RequestURI); {
	case g.URL > 0 && url > g.URL:
		s.reject(w, r, exceeds(tooLong, "", "url", url, g.URL, "The URL has %d bytes, the limit is %d"))
	case g.Headers > 0 && bytes > g.Headers:
		s.reject(w, r, exceeds(tooLarge, "", "headers", bytes, g.Headers, "The headers have %d bytes, the limit is %d"))
	case g.Headers > 0 && count > mostHeaders:
		s.reject(w, r, exceeds(tooLarge, "", "headers", count, mostHeaders, "The request has %d header lines, the limit is %d"))
	default:
		next.ServeHTTP(w, r)
	}
}

// hosts answers only to the server's own names. Whether it is healthy is no secret,
// and balancers ask for it by address; the state behind it is one.
func (s *server) hosts(w http.ResponseWriter, r *http.Request, next http.Handler) {
	health := r.URL.Path == pathHealthz || r.URL.Path == pathReadyz && !r.URL.Query().Has("verbose")
	if health || s.Gate.Hosts.Answers(r) {
		next.ServeHTTP(w, r)
		return
	}
	s.reject(w, r, refused(http.StatusMisdirectedRequest, "host",
		"This server does not answer to the name in the Host header: its operator can add names with --hosts"))
}

// OnlyHosts answers only to the names of hosts.
func OnlyHosts(hosts gate.Hosts, next http.Handler) http.Handler {
	s := &server{Config: Config{Gate: Gate{Hosts: hosts}}}
	return through(next, s.hosts)
}

// sites refuses a whole document by GET from a page of another site, which need not
// ask first to send one. A GET that names its document by a hash or an id passes, because
// it can only ask what has been asked before; and so does every POST, because it must be
// JSON.
func (s *server) sites(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodGet || !r.URL.Query().Has("query") || !gate.FromOtherSite(r, s.Origins) {
		next.ServeHTTP(w, r)
		return
	}
	s.reject(w, r, refused(http.StatusBadRequest, "csrf",
		"The browser reports that a page of another site sends this request: send the query with POST, or send its hash"))
}

// What a client must take of an answer that it reads, or it is cut off: a piece in so
// much time. The server's own deadline bounds the whole.
const (
	piece     = 64 << 10 // bytes
	pieceTime = 5 * time.Second
)

// pace cuts off clients that do not read what they have asked for.
func (s *server) pace(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(&paced{w, time.Now().Add(s.Limits.Timeout + ReadTime)}, r)
}

// paced writes piece by piece.
type paced struct {
	http.ResponseWriter
	end time.Time
}

// Write is part of http.ResponseWriter.
func (p *paced) Write(b []byte) (n int, err error) {
	if len(b) <= piece { // it fits into buffers, and the server's deadline holds
		return p.ResponseWriter.Write(b)
	}
	control := http.NewResponseController(p.ResponseWriter)
	for len(b) > 0 && err == nil {
		due := time.Now().Add(pieceTime)
		if due.After(p.end) {
			due = p.end
		}
		_ = control.SetWriteDeadline(due) // a test's writer has none
		var k int
		k, err = p.ResponseWriter.Write(b[:min(piece, len(b))])
		n += k
		b = b[k:]
	}
	return n, err
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// allowedHeaders are those that front ends send besides what every page may send
// anywhere: of clients of GraphQL, of authentication, and of what traces requests from
// the browser on. A header that is not allowed stops the whole request in the browser.
var allowedHeaders = slices.Concat(
	[]string{"Accept", "Authorization", "Content-Type", "X-Requested-With", requestIDHeader},
	[]string{
		"Apollo-Require-Preflight", "X-Apollo-Operation-Name", "Apollographql-Client-Name", "Apollographql-Client-Version", "X-Apollo-Operation-Id", "X-Apollo-Operation-Type", "X-Apollo-Cache-Key",
	},
	[]string{ // W3C Trace Context and Baggage, Sentry, Zipkin, Datadog, New Relic
		"Traceparent", "Tracestate", "Baggage", "Sentry-Trace",
		"B3", "X-B3-Traceid", "X-B3-Spanid", "X-B3-Parentspanid", "X-B3-Sampled", "X-B3-Flags",
		"X-Datadog-Trace-Id", "X-Datadog-Parent-Id", "X-Datadog-Origin", "X-Datadog-Sampling-Priority", "Newrelic",
	},
)

// crossOrigin returns the step that lets pages of other sites call the API, with the
// headers above and those of the configuration. Pages of sites that are named may send
// their visitor's cookie, too; where any site may ask, that would be everybody's.
func (s *server) crossOrigin() step {
	allow := func(origins gate.Origins, credentials bool) *cors.Cors {
		return cors.New(cors.Options{
			AllowOriginFunc:  origins.Allow,
			AllowCredentials: credentials,
			AllowedMethods:   []string{http.MethodGet, http.MethodPost},
			AllowedHeaders:   slices.Concat(allowedHeaders, s.AllowHeaders),
			ExposedHeaders:   []string{requestIDHeader, "Retry-After", "WWW-Authenticate"},
			MaxAge:           int((10 * time.Minute).Seconds()),
		})
	}
	known, others := allow(s.named, true), allow(s.Origins, false)
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch {
		case len(s.Origins) == 0:
			next.ServeHTTP(w, r)
		case s.named.Allow(r.Header.Get("Origin")):
			known.ServeHTTP(w, r, next.ServeHTTP)
		default:
			others.ServeHTTP(w, r, next.ServeHTTP)
		}
	}
}
