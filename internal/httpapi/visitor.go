package httpapi

import (
	"net/http"

	"product-comments/access"
	"product-comments/internal/visitor"
)

// newVisitorCost is what a visitor costs whom no cookie tells from others, in units of
// graph.Complexity, beside what they ask for: whoever leaves cookies away can vote once
// more with each request, and is to have few of them.
const newVisitorCost = 3000

// sameOrigin tells requests of pages of the server's own origin, and of programs, from
// those of other pages.
var sameOrigin = http.NewCrossOriginProtection()

// withVisitors tells anonymous visitors from each other by a cookie, which the answer
// to a vote sets. Whoever sends a token is known by that alone. A cookie that this
// service did not make is ignored: it gives nobody anything. Nobody is told apart who
// uses a page of another origin, to which browsers give no cookie: their votes would
// all be those of new visitors.
func (g *doorkeeper) withVisitors(c *visitor.Codec, next http.Handler) http.Handler {
	if c == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if access.From(r.Context()) != (access.Viewer{}) || sameOrigin.Check(r) != nil {
			next.ServeHTTP(w, r)
			return
		}
		client, key := askerOf(r.Context())
		remember := func(id string) string {
			if id == "" {
				id = visitor.NewID()
				g.Cost.of(client).Charge(key, newVisitorCost)
			}
			http.SetCookie(w, c.Cookie(id, client.HTTPS))
			return id
		}
		next.ServeHTTP(w, r.WithContext(access.WithVisitor(r.Context(), c.ID(r), remember)))
	})
}
