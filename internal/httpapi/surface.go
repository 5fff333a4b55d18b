package httpapi

import (
	"net/http"
	"time"

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
		s.reject(w, r, exceeds(tooLarge, "", "headers", count, mostHeaders, "There are too many headers: %d lines, the limit is %d"))
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
		"This server does not go by the name in the header Host; its operator can add names with --hosts"))
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
		"The browser says that a page of another site sends this: send the query with POST, or name it by its hash"))
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
