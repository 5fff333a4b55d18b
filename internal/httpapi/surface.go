package httpapi

import (
	"log/slog"
	"net/http"
	"strings"
	"time"

	"product-comments/internal/gate"
	"product-comments/store/errs"
)

// withHeaders sets what tells browsers to be careful, on every answer. The playground
// has a policy of its own. Cross-Origin-Resource-Policy does not concern what pages
// fetch by CORS.
func withHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["X-Content-Type-Options"] = headerNosniff
		h["Referrer-Policy"] = headerNoReferrer
		h["X-Frame-Options"] = headerDeny
		h["Content-Security-Policy"] = headerNothing
		h["Cross-Origin-Resource-Policy"] = headerSameOrigin
		h["Cross-Origin-Opener-Policy"] = headerSameOrigin
		if clientOf(r.Context()).HTTPS {
			h["Strict-Transport-Security"] = headerHTTPSOnly
		}
		next.ServeHTTP(w, r)
	})
}

// The values are slices, as http.Header wants them, so that no answer allocates them.
var (
	headerNosniff    = []string{"nosniff"}
	headerNoReferrer = []string{"no-referrer"}
	headerDeny       = []string{"DENY"}
	headerNothing    = []string{"default-src 'none'; frame-ancestors 'none'"}
	headerSameOrigin = []string{"same-origin"}
	headerHTTPSOnly  = []string{"max-age=31536000"}
)

// withEnd ends the connection after a request whose body came in chunks. If it named a
// length too, a proxy in front may believe that one, and take what follows for a
// part of this request; Go's server drops the length before anybody sees it, so that
// such a request looks like any other in chunks. RFC 9112 section 6.1 asks for the end.
func withEnd(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// mostHeaders is how many headers a request may have; browsers behind a few proxies
// send 30.
const mostHeaders = 100

// withSizes bounds the URL and the headers.
func (g *doorkeeper) withSizes(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n := len(r.RequestURI); g.URL > 0 && n > g.URL {
			g.refuse(w, r, tooLong(http.StatusRequestURITooLong, "url", "URL has", n, g.URL))
			return
		}
		bytes, count := len(r.Host), 0
		for name, values := range r.Header {
			for _, v := range values {
				bytes += len(name) + len(v)
				count++
			}
		}
		switch {
		case g.Headers > 0 && bytes > g.Headers:
			g.refuse(w, r, tooLong(http.StatusRequestHeaderFieldsTooLarge, "headers", "headers have", bytes, g.Headers))
		case g.Headers > 0 && count > mostHeaders:
			why := tooLong(http.StatusRequestHeaderFieldsTooLarge, "headers", "", count, mostHeaders)
			why.message = "There are too many headers: " + strings.TrimPrefix(strings.Replace(why.message, "bytes", "lines", 1), "The ")
			g.refuse(w, r, why)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// withHosts answers only to the server's own names. Whether it is healthy is no secret,
// and balancers ask for it by address; the state behind it is one.
func (g *doorkeeper) withHosts(next http.Handler) http.Handler {
	if g.Hosts.Any() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		health := r.URL.Path == pathHealthz || r.URL.Path == pathReadyz && !r.URL.Query().Has("verbose")
		if health || g.Hosts.Answers(r) {
			next.ServeHTTP(w, r)
			return
		}
		g.refuse(w, r, &turnedAway{
			status: http.StatusMisdirectedRequest, code: string(errs.BadUserInput), reason: "host",
			message: "This server does not go by the name in the header Host; its operator can add names with --hosts",
		})
	})
}

// OnlyHosts answers only to the names of hosts.
func OnlyHosts(hosts gate.Hosts, log *slog.Logger, next http.Handler) http.Handler {
	door := &doorkeeper{Gate: Gate{Hosts: hosts}, log: log}
	return door.withHosts(next)
}

// withSites refuses a whole document by GET from a page of another site, which need not
// ask first to send one. A GET that names its document by a hash or an id passes, because
// it can only ask what has been asked before; and so does every POST, because it must be
// JSON.
func (g *doorkeeper) withSites(origins gate.Origins, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !r.URL.Query().Has("query") || !gate.FromOtherSite(r, origins) {
			next.ServeHTTP(w, r)
			return
		}
		g.refuse(w, r, &turnedAway{
			status: http.StatusBadRequest, code: string(errs.BadUserInput), reason: "csrf",
			message: "The browser says that a page of another site sends this: send the query with POST, or name it by its hash",
		})
	})
}

// What a client must take of an answer that it reads, or it is cut off: a piece in so
// much time. The server's own deadline bounds the whole.
const (
	piece     = 64 << 10 // bytes
	pieceTime = 5 * time.Second
)

// withPace cuts off clients that do not read what they have asked for.
func withPace(whole time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&paced{w, time.Now().Add(whole)}, r)
	})
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
