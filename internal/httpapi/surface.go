package httpapi

import (
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/rs/cors"

	"product-comments/internal/gate"
)

// setSecurityHeaders sets the security headers of every answer. The playground replaces the
// policy. Cross-Origin-Resource-Policy does not affect requests by CORS.
func setSecurityHeaders(w http.ResponseWriter, r *http.Request, next http.Handler) {
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

// endChunks closes the connection after a request with a chunked body. If such a request also has a
// length, a proxy in front may use the length and treat the following bytes as part of this
// request. Go's server drops the length, so that such a request looks like any other chunked one.
// RFC 9112 section 6.1 requires closing the connection.
func endChunks(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	next.ServeHTTP(w, r)
}

// maxHeaders is the maximum of headers in a request; browsers behind a few proxies send 30.
const maxHeaders = 100

// checkSizes limits the URL and the headers.
func (s *server) checkSizes(w http.ResponseWriter, r *http.Request, next http.Handler) {
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
	case g.Headers > 0 && count > maxHeaders:
		s.reject(w, r, exceeds(tooLarge, "", "headers", count, maxHeaders, "The request has %d header lines, the limit is %d"))
	default:
		next.ServeHTTP(w, r)
	}
}

// hostName matches names and addresses that a shell and a terminal take for nothing else.
var hostName = regexp.MustCompile(`^[a-z0-9:][a-z0-9.:-]{0,252}$`)

// checkHost refuses requests for other host names. /healthz and /readyz accept any, because load
// balancers request them by address and they reveal nothing; ?verbose does not.
func (s *server) checkHost(w http.ResponseWriter, r *http.Request, next http.Handler) {
	health := r.URL.Path == pathHealthz || r.URL.Path == pathReadyz && !r.URL.Query().Has("verbose")
	if health || s.Gate.Hosts.Answers(r) {
		next.ServeHTTP(w, r)
		return
	}
	name := gate.HostOf(r)
	if !hostName.MatchString(name) {
		name = "shop.example"
	}
	s.reject(w, r, refused(http.StatusMisdirectedRequest, "host",
		"This server does not answer to the name in the Host header: start it with --hosts %s, and for a phone or "+
			"another machine of your network also with --addr 0.0.0.0:8080", name))
}

// OnlyHosts refuses requests for names that are not in hosts.
func OnlyHosts(hosts gate.Hosts, next http.Handler) http.Handler {
	s := &server{Config: Config{Gate: Gate{Hosts: hosts}}}
	return chain(next, s.checkHost)
}

// rejectCrossSite refuses a whole document by GET from a page of another site, which a browser
// sends without a preflight request. A GET with a hash or an id passes, because it can only run a
// registered document. So does every POST, because its body must be JSON.
func (s *server) rejectCrossSite(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if r.Method != http.MethodGet || !r.URL.Query().Has("query") || !gate.FromOtherSite(r, s.Origins) {
		next.ServeHTTP(w, r)
		return
	}
	s.reject(w, r, refused(http.StatusBadRequest, "csrf",
		"The browser reports that a page of another site sends this request: send the query with POST, or send its hash"))
}

// The minimum speed of a client: a piece of the answer within the time, or the connection is
// closed. The server's own deadline limits the whole answer.
const (
	piece     = 64 << 10 // bytes
	pieceTime = 5 * time.Second
)

// limitSlowReaders closes connections of clients that do not read their answers.
func (s *server) limitSlowReaders(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(&pacedWriter{w, time.Now().Add(s.Limits.Timeout + ReadTime)}, r)
}

// pacedWriter writes in pieces, each with a deadline.
type pacedWriter struct {
	http.ResponseWriter
	end time.Time
}

// Write implements http.ResponseWriter.
func (p *pacedWriter) Write(b []byte) (n int, err error) {
	if len(b) <= piece { // it fits into buffers, and the server's deadline applies
		return p.ResponseWriter.Write(b)
	}
	control := http.NewResponseController(p.ResponseWriter)
	for len(b) > 0 && err == nil {
		due := time.Now().Add(pieceTime)
		if due.After(p.end) {
			due = p.end
		}
		_ = control.SetWriteDeadline(due) // a test's writer does not support it
		var k int
		k, err = p.ResponseWriter.Write(b[:min(piece, len(b))])
		n += k
		b = b[k:]
	}
	return n, err
}

// Unwrap implements the unwrapping of http.ResponseController.
func (p *pacedWriter) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// allowedHeaders are headers that front ends send in addition to the CORS-safelisted ones: of
// GraphQL clients, of authentication, and of browser tracing. A browser stops a request that has a
// header which is not allowed.
var allowedHeaders = slices.Concat(
	[]string{"Accept", "Authorization", "Content-Type", "X-Requested-With", requestIDHeader},
	[]string{
		"Apollo-Require-Preflight", "X-Apollo-Operation-Name", "Apollographql-Client-Name",
		"Apollographql-Client-Version", "X-Apollo-Operation-Id", "X-Apollo-Operation-Type", "X-Apollo-Cache-Key",
	},
	[]string{ // W3C Trace Context and Baggage, Sentry, Zipkin, Datadog, New Relic
		"Traceparent", "Tracestate", "Baggage", "Sentry-Trace",
		"B3", "X-B3-Traceid", "X-B3-Spanid", "X-B3-Parentspanid", "X-B3-Sampled", "X-B3-Flags",
		"X-Datadog-Trace-Id", "X-Datadog-Parent-Id", "X-Datadog-Origin", "X-Datadog-Sampling-Priority", "Newrelic",
	},
)

// crossOrigin returns the step that lets pages of other sites call the API, with the headers above
// and the configured ones. Pages of named sites may also send their visitor's cookie. With "*" no
// page may, because the cookies of all sites would be sent.
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
