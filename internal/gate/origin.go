package gate

import (
	"mime"
	"net/http"
)

// Preflighted reports whether no page of another site can have made a browser send
// this request unasked. A browser asks a server first (a CORS preflight) before it
// sends a request with a header or a content type that forms cannot have, so one that
// has such a thing was allowed; and modern browsers tell in Sec-Fetch-Site which site
// a request comes from, which pages cannot change (https://www.w3.org/TR/fetch-metadata/).
// origins are other sites whose pages are allowed. What is not a browser can send any
// of these headers.
func Preflighted(r *http.Request, origins Origins) bool {
	for _, name := range PreflightHeaders {
		if r.Header.Get(name) != "" {
			return true
		}
	}
	if contentType := r.Header.Get("Content-Type"); contentType != "" {
		if media, _, err := mime.ParseMediaType(contentType); err == nil && !simple[media] {
			return true
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none": // none: a person typed the address
		return true
	}
	origin := r.Header.Get("Origin")
	return origin != "" && origins.Allow(origin)
}

// PreflightHeaders are headers that no form can send. Apollo's clients send the
// second by themselves; the first is for everybody else.
var PreflightHeaders = []string{"Apollo-Require-Preflight", "X-Apollo-Operation-Name"}

// simple are the content types that a page may send anywhere without asking
// (https://fetch.spec.whatwg.org/#cors-safelisted-request-header).
var simple = map[string]bool{"application/x-www-form-urlencoded": true, "multipart/form-data": true, "text/plain": true}
