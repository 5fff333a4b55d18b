package httpapi_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
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
		testkit.Check(t, allowed(headers...), "%s: %q are not allowed", name, headers)
	}
	all := slices.Concat(slices.Collect(maps.Values(clients))...)
	testkit.Check(t, allowed(slices.Compact(slices.Sorted(slices.Values(all)))...), "not all together")
	testkit.Check(t, !allowed("x-other", "content-type"), "any header is allowed")
}

// Browsers show a page the answer to a request with a cookie only if its site is allowed
// by name.
func TestCredentialsOfOtherSites(t *testing.T) {
	for _, c := range []struct {
		origins []string
		origin  string
		allowed string // "" for not at all
		cookies bool
	}{
		{[]string{"https://shop.example"}, "https://shop.example", "https://shop.example", true},
		{[]string{"https://*.shop.example"}, "https://www.shop.example", "https://www.shop.example", true},
		{[]string{"https://shop.example"}, "https://other.example", "", false},
		{[]string{"*"}, "https://shop.example", "https://shop.example", false},
		{[]string{"*", "https://shop.example"}, "https://shop.example", "https://shop.example", true},
		{[]string{"*", "https://shop.example"}, "https://other.example", "https://other.example", false},
		{nil, "https://shop.example", "", false},
	} {
		s := serve(t, func(config *httpapi.Config) { config.Origins = c.origins })
		preflight := s.Send(t, http.MethodOptions, "/graphql", nil, "Origin", c.origin, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
		answer := s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"{__typename}"}`), "Content-Type", "application/json", "Origin", c.origin)
		for what, h := range map[string]http.Header{"the preflight": preflight.Header, "the answer": answer.Header} {
			credentials := h.Get("Access-Control-Allow-Credentials")
			if h.Get("Access-Control-Allow-Origin") != c.allowed || (credentials == "true") != c.cookies || !c.cookies && credentials != "" {
				t.Errorf("%q, %s for %s: %q, credentials %q", c.origins, what, c.origin, h.Get("Access-Control-Allow-Origin"), credentials)
			}
		}
	}
}
