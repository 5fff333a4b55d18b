package playground

import (
	"net/http"
	"strings"
)

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
