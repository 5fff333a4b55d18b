package httpapi

import (
	"net/http"
	"slices"
	"time"

	"github.com/rs/cors"

	"product-comments/internal/gate"
)

// allowedHeaders are those that front ends send beside what every page may send
// anywhere: of clients of GraphQL, of authentication, and of what traces requests from
// the browser on. A header that is not allowed stops the whole request in the browser.
var allowedHeaders = slices.Concat(
	[]string{"Accept", "Authorization", "Content-Type", "X-Requested-With", requestIDHeader},
	[]string{
		"Apollo-Require-Preflight", "X-Apollo-Operation-Name", "Apollographql-Client-Name", "Apollographql-Client-Version", "X-Apollo-Operation-Id", "X-Apollo-Operation-Type", "X-Apollo-Cache-Key",
	},
	[]string{ // W3C Trace Context and Baggage, Sentry, Zipkin, Datadog, New Relic
		"Traceparent", "Tracestate", "Baggage", "Sentry-Trace",
		"B3", "X-B3-Traceid", "X-B3-Spanid", "X-B3-Parentspanid", "X-B3-Sampled", "X-B3-Flags",
		"X-Datadog-Trace-Id", "X-Datadog-Parent-Id", "X-Datadog-Origin", "X-Datadog-Sampling-Priority", "Newrelic",
	},
)

// withOrigins lets pages of other sites call the API: those of origins, with the
// headers above and more.
func withOrigins(origins gate.Origins, more []string, next http.Handler) http.Handler {
	if len(origins) == 0 {
		return next
	}
	return cors.New(cors.Options{
		AllowOriginFunc: origins.Allow,
		AllowedMethods:  []string{http.MethodGet, http.MethodPost},
		AllowedHeaders:  slices.Concat(allowedHeaders, more),
		ExposedHeaders:  []string{requestIDHeader, "Retry-After", "WWW-Authenticate"},
		MaxAge:          int((10 * time.Minute).Seconds()),
	}).Handler(next)
}
