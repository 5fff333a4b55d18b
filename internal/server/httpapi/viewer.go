package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/visitor"
	"product-comments/store/errs"
)

// unverifiedRetry is the retry delay for a token while its key has not been fetched.
const unverifiedRetry = 5 * time.Second

// authenticate is the step that adds the viewer to the request's context. It refuses invalid
// credentials: a client that sends some is never treated as anonymous. Clients with too many
// failures are refused before their credentials are checked.
func (s *server) authenticate(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	sent, ctx := r.Header["Authorization"], r.Context()
	if len(sent) > 0 {
		if err := s.admission.Failures(ctx); err != nil {
			return err
		}
	}
	viewer, err := s.Auth.Viewer(ctx, sent)
	if err != nil {
		why := s.tokenRejected(w, err)
		if why.Status == http.StatusUnauthorized {
			s.admission.Failed(ctx)
		}
		return why
	}
	if len(sent) == 0 { // of a page that asks in this process; a request from the network brings no context
		viewer = access.From(ctx)
	}
	if viewer != (access.Viewer{}) {
		r = r.WithContext(s.admission.As(ctx, viewer))
	}
	next.ServeHTTP(w, r)
	return nil
}

// tokenRejected counts a refusal and sets the headers of RFC 6750 section 3. The answer and the log
// contain no part of the token. err is an *auth.Refusal.
func (s *server) tokenRejected(w http.ResponseWriter, err error) *admission.Rejection {
	var refusal *auth.Refusal
	if !errors.As(err, &refusal) {
		refusal = &auth.Refusal{Message: "the token could not be verified"}
	}
	s.Telemetry.AuthFailed(refusal.Reason)
	if refusal.Unavailable() {
		return admission.RetryLater(http.StatusServiceUnavailable, errs.Unavailable, "token", unverifiedRetry,
			"Authorization: %s", refusal.Message)
	}
	// The description is a quoted string; messages contain no character that needs an escape.
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="product-comments", error="invalid_token", error_description="%s"`, refusal.Message))
	return &admission.Rejection{Status: http.StatusUnauthorized, Why: errs.Refuse(errs.Unauthenticated, "token", "Authorization: %s", refusal.Message)}
}

// sameOrigin checks that a request comes from a page of the server's own origin, or from a
// program.
var sameOrigin = http.NewCrossOriginProtection()

// givesCookies reports whether a browser sends the cookie with this kind of request: from a page
// of the same origin, or of an allowed origin on the same site, such as another subdomain.
// Browsers send no cookie with requests from other sites.
func (s *server) givesCookies(r *http.Request) bool {
	return sameOrigin.Check(r) == nil || r.Header.Get("Sec-Fetch-Site") == "same-site" && s.named.OriginAllowed(r)
}

// identifyVisitor is the step that identifies anonymous visitors by a cookie. The answer to a vote
// sets the cookie. The step ignores the cookie of a client with a token, and a cookie that this
// service did not sign. It does not identify visitors of pages that get no cookie from browsers,
// because each of their votes would count as the vote of a new visitor.
func (s *server) identifyVisitor(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	if s.Visitors == nil || access.From(r.Context()) != (access.Viewer{}) || !s.givesCookies(r) {
		next.ServeHTTP(w, r)
		return nil
	}
	ctx := r.Context()
	remember := func(id string) string {
		if id == "" {
			id = visitor.NewID()
			s.admission.Charge(ctx, admission.NewVisitorCost)
		}
		http.SetCookie(w, s.Visitors.Cookie(id, admission.Of(ctx).HTTPS))
		return id
	}
	next.ServeHTTP(w, r.WithContext(access.WithVisitor(ctx, s.Visitors.ID(r), remember)))
	return nil
}
