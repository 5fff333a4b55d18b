package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/httpapi"
)

// Pages of allowed sites may send what clients of GraphQL, tracing and authentication
// send, in the form in which browsers ask for it: in lower case, sorted.
func TestHeadersOfOtherSites(t *testing.T) {
	const shop = "https://shop.example"
	s := serve(t, func(c *httpapi.Config) { c.Origins, c.AllowHeaders = []string{shop}, []string{"X-Shop-Session"} })
	allowed := func(headers ...string) bool {
		slices.Sort(headers)
		a := s.Send(t, http.MethodOptions, "/graphql", nil, "Origin", shop, "Access-Control-Request-Method", "POST",
			"Access-Control-Request-Headers", strings.Join(headers, ","))
		return a.Header.Get("Access-Control-Allow-Origin") == shop
	}
	clients := map[string][]string{
		"Apollo":      {"apollographql-client-name", "apollographql-client-version", "apollo-require-preflight", "x-apollo-operation-name", "x-apollo-operation-id", "content-type", "accept"},
		"tracing":     {"traceparent", "tracestate", "baggage", "sentry-trace", "b3", "x-datadog-trace-id", "x-request-id", "content-type"},
		"tokens":      {"authorization", "content-type"},
		"its own":     {"x-shop-session", "authorization"},
		"plain fetch": {"content-type"},
	}
	for name, headers := range clients {
		if !allowed(headers...) {
			t.Errorf("%s: %q are not allowed", name, headers)
		}
	}
	if all := slices.Concat(slices.Collect(maps.Values(clients))...); !allowed(slices.Compact(slices.Sorted(slices.Values(all)))...) {
		t.Error("not all together")
	}
	if allowed("x-other", "content-type") {
		t.Error("any header is allowed")
	}
}
