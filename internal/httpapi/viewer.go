package httpapi

import (
	"errors"
	"fmt"
	"net/http"

	"product-comments/access"
	"product-comments/internal/auth"
	"product-comments/internal/telemetry"
	"product-comments/store/errs"
)

// unverifiedRetry is when a client may try again, in seconds, whose token could not
// be verified because its key is not there yet.
const unverifiedRetry = "5"

// withViewer finds out who sends a request, and puts the viewer into its context.
// A request with credentials that are not valid is refused: whoever sends some is
// never taken for an anonymous visitor.
func withViewer(a *auth.Authenticator, t *telemetry.Telemetry, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		viewer, err := a.Viewer(r.Context(), r.Header["Authorization"])
		if err != nil {
			refuseToken(w, r, t, err)
			return
		}
		if viewer != (access.Viewer{}) {
			r = r.WithContext(access.With(r.Context(), viewer))
		}
		next.ServeHTTP(w, r)
	})
}

// refuseToken answers as RFC 6750 section 3 says. Nothing of the token is in the
// answer or in the log. err is an *auth.Refusal.
func refuseToken(w http.ResponseWriter, r *http.Request, t *telemetry.Telemetry, err error) {
	var refusal *auth.Refusal
	if !errors.As(err, &refusal) {
		refusal = &auth.Refusal{Message: "the token could not be verified"}
	}
	t.AuthFailed(refusal.Reason)
	status, code := http.StatusUnauthorized, errs.Unauthenticated
	if refusal.Unavailable() {
		status, code = http.StatusServiceUnavailable, errs.Unavailable
		w.Header().Set("Retry-After", unverifiedRetry)
	} else {
		// The description is a quoted string, in which messages need no escape.
		w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="product-comments", error="invalid_token", error_description="%s"`, refusal.Message))
	}
	refuse(w, accepted(r.Header["Accept"]), &badRequest{status, errs.Refuse(code, "token", "Authorization: %s", refusal.Message)}, t.Refused)
}
