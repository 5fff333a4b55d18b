package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"product-comments/access"
	"product-comments/internal/auth"
	"product-comments/internal/visitor"
	"product-comments/store/errs"
)

// unverifiedRetry is when a client may try again whose token could not be verified
// because its key is not there yet.
const unverifiedRetry = 5 * time.Second

// viewer finds out who sends a request, and puts the viewer into its context.
// A request with credentials that are not valid is refused: a client that sends some is
// never taken for an anonymous visitor. Clients that have failed to authenticate too
// often are sent away before their credentials are looked at.
func (s *server) viewer(w http.ResponseWriter, r *http.Request, next http.Handler) {
	sent, from := r.Header["Authorization"], askerOf(r.Context())
	failures := s.Gate.Failures.of(from)
	if len(sent) > 0 { // others are not to take the place of a client that is remembered
		if left := failures.Peek(from.key, 1); left.Wait > 0 {
			s.reject(w, r, rateLimited("auth_failures", "failed authentications", left))
			return
		}
	}
	viewer, err := s.Auth.Viewer(r.Context(), sent)
	if err != nil {
		why := s.tokenRejected(w, err)
		if why.status == http.StatusUnauthorized {
			failures.Charge(from.key, 1)
		}
		s.reject(w, r, why)
		return
	}
	if viewer != (access.Viewer{}) {
		r = r.WithContext(access.With(r.Context(), viewer))
	}
	next.ServeHTTP(w, r)
}

// tokenRejected counts a refusal, and sets headers as RFC 6750 section 3 says. Nothing of
// the token is in the answer or in the log. err is an *auth.Refusal.
func (s *server) tokenRejected(w http.ResponseWriter, err error) *rejection {
	var refusal *auth.Refusal
	if !errors.As(err, &refusal) {
		refusal = &auth.Refusal{Message: "the token could not be verified"}
	}
	s.Telemetry.AuthFailed(refusal.Reason)
	if refusal.Unavailable() {
		return later(http.StatusServiceUnavailable, errs.Unavailable, "token", unverifiedRetry, "Authorization: %s", refusal.Message)
	}
	// The description is a quoted string, in which messages need no escape.
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="product-comments", error="invalid_token", error_description="%s"`, refusal.Message))
	return &rejection{http.StatusUnauthorized, errs.Refuse(errs.Unauthenticated, "token", "Authorization: %s", refusal.Message)}
}

// newVisitorCost is the additional cost of a request without a visitor's cookie, in units
// of the budget. A visitor who discards cookies can vote once with each request, so such
// requests must be few.
const newVisitorCost = 3000

// sameOrigin tells requests of pages of the server's own origin, and of programs, from
// those of other pages.
var sameOrigin = http.NewCrossOriginProtection()

// givesCookies reports whether a browser sends the cookie with a request of this kind: one
// of a page of the same origin, or of a site that is named and the same as the server's,
// such as another subdomain. With requests of other sites it sends none.
func (s *server) givesCookies(r *http.Request) bool {
	return sameOrigin.Check(r) == nil || r.Header.Get("Sec-Fetch-Site") == "same-site" && s.named.Allow(r.Header.Get("Origin"))
}

// visitor tells anonymous visitors from each other by a cookie, which the answer
// to a vote sets. A client that sends a token is known by that alone. A cookie that this
// service did not make is ignored: it gives no one anything. Visitors are not distinguished who
// uses a page to which browsers give no cookie: their votes would all be those of new
// visitors.
func (s *server) visitor(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if s.Visitors == nil || access.From(r.Context()) != (access.Viewer{}) || !s.givesCookies(r) {
		next.ServeHTTP(w, r)
		return
	}
	a := askerOf(r.Context())
	remember := func(id string) string {
		if id == "" {
			id = visitor.NewID()
			s.Gate.Cost.of(a).Charge(a.key, newVisitorCost)
		}
		http.SetCookie(w, s.Visitors.Cookie(id, a.HTTPS))
		return id
	}
	next.ServeHTTP(w, r.WithContext(access.WithVisitor(r.Context(), s.Visitors.ID(r), remember)))
}
