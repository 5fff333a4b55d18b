// Package playground serves GraphiQL, the page on which a person explores the
// API. Everything the page needs is embedded in the binary, so it works on a
// machine without network, and its policy forbids it to ask anyone else.
//
// Two folders are embedded: page holds the few files written here, and assets
// holds GraphiQL and React, which are fetched before the build and are not
// under version control. A binary built without them says so at "/".
package playground

import (
	"io/fs"
	"net/http"
	"strings"
)

// Handler serves the playground: the page at exactly "/", and what the page
// loads under "/playground/". Everything else is 404, and methods other than
// GET and HEAD are 405.
//
// The page sends its queries to endpoint, a path on the same server such as
// "/graphql"; another server's address would be refused by the page's policy.
// A first visit opens with the tabs, the first in front. Where a query says
// [EndCursor], a first visit has the first endCursor that the first query is
// answered. Later visits open with what the person left there. A token is shown
// among the headers of requests, where it can be exchanged or removed; everybody who
// can open the page sees it. "" is none.
func Handler(endpoint string, tabs []Tab, token string) http.Handler {
	return newHandler(endpoint, tabs, token, embedded())
}

// Tab is what a tab has. Its query should hold a single operation, so that one click
// runs it, and has its name on the tab.
type Tab struct {
	Query string `json:"query"`
	// Token takes the place of the page's in this tab; "" leaves that.
	Token string `json:"token,omitempty"`
}

// EndCursor stands in a query for a cursor, which no two installations share.
const EndCursor = "<endCursor>"

// newHandler is Handler over the given GraphiQL and React files.
func newHandler(endpoint string, tabs []Tab, token string, vendor fs.FS) http.Handler {
	files, complete := loadFiles(vendor)

	name, status := "index.html", http.StatusOK
	if !complete {
		name, status = "missing.html", http.StatusServiceUnavailable
	}

	mux := http.NewServeMux()
	mux.Handle("GET /{$}", renderPage(name, status, files, endpoint, tabs, token))
	for name, f := range files {
		mux.Handle("GET "+prefix+name, f)
	}
	return secured(mux)
}

// policy is what the page may do: what GraphiQL was seen to need, and no more.
// Its dialogs and menus add a style element whose text depends on the window,
// so no hash can name it: hence 'unsafe-inline', for styles alone. Its fonts
// are part of its stylesheet, as data: addresses.
var policy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self'",
	"font-src data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
}, "; ")

// secured puts the policy on every answer, errors too.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}
