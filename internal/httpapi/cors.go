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

// crossOrigin returns the step that lets pages of other sites call the API, with the
// headers above and those of the configuration. Pages of sites that are named may send
// their visitor's cookie, too; where any site may ask, that would be everybody's.
func (s *server) crossOrigin() step {
	allow := func(origins gate.Origins, credentials bool) *cors.Cors {
		return cors.New(cors.Options{
			AllowOriginFunc:  origins.Allow,
			AllowCredentials: credentials,
			AllowedMethods:   []string{http.MethodGet, http.MethodPost},
			AllowedHeaders:   slices.Concat(allowedHeaders, s.AllowHeaders),
			ExposedHeaders:   []string{requestIDHeader, "Retry-After", "WWW-Authenticate"},
			MaxAge:           int((10 * time.Minute).Seconds()),
		})
	}
	known, others := allow(s.named, true), allow(s.Origins, false)
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		switch {
		case len(s.Origins) == 0:
			next.ServeHTTP(w, r)
		case s.named.Allow(r.Header.Get("Origin")):
			known.ServeHTTP(w, r, next.ServeHTTP)
		default:
			others.ServeHTTP(w, r, next.ServeHTTP)
		}
	}
}
