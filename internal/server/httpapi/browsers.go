package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/rs/cors"

	"product-comments/internal/server/admission"
)

// setSecurityHeaders sets the security headers of every answer. The playground replaces the
// policy. Cross-Origin-Resource-Policy does not affect requests by CORS.
func setSecurityHeaders(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if admission.Of(r.Context()).HTTPS {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	next.ServeHTTP(w, r)
	return nil
}

// endChunks closes the connection after a request with a chunked body. If such a request also has a
// length, a proxy in front may use the length and treat the following bytes as part of this
// request. Go's server drops the length, so that such a request looks like any other chunked one.
// RFC 9112 section 6.1 requires closing the connection.
func endChunks(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	if len(r.TransferEncoding) > 0 && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	next.ServeHTTP(w, r)
	return nil
}

// rejectCrossSite refuses a whole document by GET from a page of another site, which a browser
// sends without a preflight request. A GET with a hash or an id passes, because it can only run a
// registered document. So does every POST, because its body must be JSON.
func (s *server) rejectCrossSite(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	if r.Method == http.MethodGet && r.URL.Query().Has("query") && s.fromOtherSite(r) {
		return admission.Refused(http.StatusBadRequest, "csrf",
			"The browser reports that a page of another site sends this request: send the query with POST, or send its hash")
	}
	next.ServeHTTP(w, r)
	return nil
}

// fromOtherSite reports whether, according to the browser, a page of another site sends this
// request, and the site is not one of the origins. Browsers send Sec-Fetch-Site, which pages cannot
// change (https://www.w3.org/TR/fetch-metadata/): its value none is a person who typed the address
// or followed a bookmark. A link or an image of another site sends no Origin, so no origin
// matches. A request without Sec-Fetch-Site is a program's.
func (s *server) fromOtherSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "cross-site", "same-site":
		return r.Header.Get("Origin") == "" || !s.all.OriginAllowed(r)
	}
	return false
}

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

// named returns the origins that name sites: all but *.
func named(origins []string) []string {
	return slices.DeleteFunc(slices.Clone(origins), func(origin string) bool { return origin == "*" })
}

// cors returns the rules for pages of origins, which may send the headers above and the configured
// ones. Without origins no page may: to the library, none are all.
func (s *server) cors(credentials bool, origins []string) *cors.Cors {
	options := cors.Options{
		AllowedOrigins:   origins,
		AllowCredentials: credentials,
		AllowedMethods:   []string{http.MethodGet, http.MethodPost},
		AllowedHeaders:   slices.Concat(allowedHeaders, s.AllowHeaders),
		ExposedHeaders:   []string{requestIDHeader, "Retry-After", "WWW-Authenticate"},
		MaxAge:           int((10 * time.Minute).Seconds()),
	}
	if len(origins) == 0 {
		options.AllowOriginFunc = func(string) bool { return false }
	}
	return cors.New(options)
}

// crossOrigin is the step that lets pages of other sites call the API. Pages of named sites may also
// send their visitor's cookie. With "*" no page may, because the cookies of all sites would be sent.
func (s *server) crossOrigin(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	switch {
	case len(s.Origins) == 0:
		next.ServeHTTP(w, r)
	case s.named.OriginAllowed(r):
		s.named.ServeHTTP(w, r, next.ServeHTTP)
	default:
		s.all.ServeHTTP(w, r, next.ServeHTTP)
	}
	return nil
}
