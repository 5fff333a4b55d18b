package httpapi

import (
	"net/http"

	"product-comments/access"
	"product-comments/internal/gate"
	"product-comments/internal/visitor"
)

// newVisitorCost is what a visitor costs whom no cookie tells from others, in units of
// the budget, beside what they ask for: whoever leaves cookies away can vote once
// more with each request, and is to have few of them.
const newVisitorCost = 3000

// sameOrigin tells requests of pages of the server's own origin, and of programs, from
// those of other pages.
var sameOrigin = http.NewCrossOriginProtection()

// givesCookies reports whether a browser sends the cookie with a request of this kind: one
// of a page of the same origin, or of a site that is named and the same as the server's,
// such as another subdomain. With requests of other sites it sends none.
func givesCookies(r *http.Request, named gate.Origins) bool {
	return sameOrigin.Check(r) == nil || r.Header.Get("Sec-Fetch-Site") == "same-site" && named.Allow(r.Header.Get("Origin"))
}

// withVisitors tells anonymous visitors from each other by a cookie, which the answer
// to a vote sets. Whoever sends a token is known by that alone. A cookie that this
// service did not make is ignored: it gives nobody anything. Nobody is told apart who
// uses a page to which browsers give no cookie: their votes would all be those of new
// visitors.
func (g *doorkeeper) withVisitors(c *visitor.Codec, origins gate.Origins, next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	named := origins.Named()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if access.From(r.Context()) != (access.Viewer{}) || !givesCookies(r, named) {
			next.ServeHTTP(w, r)
			return
		}
		a := askerOf(r.Context())
		remember := func(id string) string {
			if id == "" {
				id = visitor.NewID()
				g.Cost.of(a).Charge(a.key, newVisitorCost)
			}
			http.SetCookie(w, c.Cookie(id, a.HTTPS))
			return id
		}
		next.ServeHTTP(w, r.WithContext(access.WithVisitor(r.Context(), c.ID(r), remember)))
	})
}
