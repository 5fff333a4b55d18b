package httpapi_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gqlgen "github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/transport"
	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

const wholeSchema = `{__schema{description queryType{name} mutationType{name} subscriptionType{name} types{...T} directives{name description locations args{...I}}}}
fragment T on __Type{kind name description specifiedByURL fields(includeDeprecated:true){name description deprecationReason args{...I} type{...R}} inputFields{...I} interfaces{name} enumValues(includeDeprecated:true){name description deprecationReason} possibleTypes{name}}
fragment I on __InputValue{name description type{...R} defaultValue}
fragment R on __Type{kind name ofType{kind name ofType{kind name ofType{kind name ofType{kind name}}}}}`

// specifiedDirectives are in any schema, so that a file need not define them.
var specifiedDirectives = []string{"deprecated", "include", "oneOf", "skip", "specifiedBy"}

// introspected returns what introspection tells of the schema in a file, a line each.
func introspected(t *testing.T, text string) []string {
	t.Helper()
	schema := testkit.Value(gqlparser.LoadSchema(&ast.Source{Input: text}))(t)
	for name, d := range schema.Directives { // without what the library adds
		if d.Position.Src.BuiltIn && !slices.Contains(specifiedDirectives, name) {
			delete(schema.Directives, name)
		}
	}
	h := gqlgen.New(graph.NewExecutableSchema(graph.Config{Schema: schema}))
	h.AddTransport(transport.POST{})
	h.Use(extension.Introspection{})
	var a apitest.Answer
	err := json.Unmarshal(post(visitor, strings.ReplaceAll(wholeSchema, "\n", " ")).to(h).Body.Bytes(), &a)
	testkit.Need(t, err == nil && len(a.Errors) == 0, "%v, %+v", err, a.Errors)
	return linesOf(t, a.Data)
}

func linesOf(t *testing.T, data json.RawMessage) []string {
	t.Helper()
	var text bytes.Buffer
	testkit.Must(t, json.Indent(&text, data, "", " "))
	return strings.Split(text.String(), "\n")
}

// Introspection, the file in the repository and the file that the service serves say
// the same, to every description, default and directive.
func TestTheSchemaIsOne(t *testing.T) {
	s := serve(t)
	a := s.Post(t, wholeSchema, nil)
	told := linesOf(t, a.Data)
	file := testkit.Value(os.ReadFile("../../../schema.graphqls"))(t)
	for name, text := range map[string]string{"schema.graphqls": string(file), "/schema.graphql": get(t, s.Config.Handler, "/schema.graphql").Body.String()} {
		lines := introspected(t, text)
		for i := range min(len(lines), len(told)) {
			testkit.Need(t, lines[i] == told[i], "line %d: introspection tells %s, %s %s", i, told[i], name, lines[i])
		}
		testkit.Check(t, len(lines) == len(told) && len(lines) >= 1000, "%d lines, in %s %d", len(told), name, len(lines))
	}
	about, _ := a.At(t, "__schema", "description").(string)
	testkit.Check(t, strings.Contains(about, "Relay"), "its own description: %q", about)
}

func TestTheSchemaAsAFile(t *testing.T) {
	s := serve(t)
	w := get(t, s.Config.Handler, "/schema.graphql")
	etag := w.Header().Get("Etag")
	testkit.Check(t, w.Code == 200 && w.Header().Get("Content-Type") == "text/plain; charset=utf-8" && etag != "" && w.Header().Get("Cache-Control") == "no-cache", "%d %v", w.Code, w.Header())
	if a := s.Send(t, http.MethodGet, "/schema.graphql", nil, "If-None-Match", etag); a.Status != http.StatusNotModified {
		t.Errorf("with its tag: %d", a.Status)
	}
	for accepts, want := range map[string]string{
		"GZIP": "gzip", "*": "gzip", "*;q=0, gzip": "gzip", "br, gzip;q=0.1": "gzip", "deflate,gzip ; q=1.0": "gzip",
		"": "", "*;q=0": "", "gzip;q=x": "", "gzip;q=0, *": "", "*, gzip;q=0": "",
	} {
		got := get(t, s.Config.Handler, "/schema.graphql", "Accept-Encoding", accepts).Header().Get("Content-Encoding")
		testkit.Check(t, got == want, "%q for a client that accepts %q, want %q", got, accepts, want)
	}
	secret := serve(t, func(c *httpapi.Config) { c.NoIntrospection = true })
	a := secret.Send(t, http.MethodGet, "/schema.graphql", nil)
	testkit.Check(t, a.Status == http.StatusForbidden && len(a.Errors) == 1 && a.Errors[0].Extensions["reason"] == "introspection_off", "without introspection: %d %+v", a.Status, a.Errors)
}

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
		{[]string{"*"}, "https://shop.example", "*", false},
		{[]string{"*", "https://shop.example"}, "https://shop.example", "https://shop.example", true},
		{[]string{"*", "https://shop.example"}, "https://other.example", "*", false},
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

// The file is compressed once: sent compressed it takes no more time than as it is. Compressing it
// takes 50 times as long.
func TestTheSchemaIsKeptCompressed(t *testing.T) {
	h := handler(t, &empty{})
	least := func(accepts string) (took time.Duration, size int) {
		took = time.Hour
		for range 50 {
			start := time.Now()
			size = get(t, h, "/schema.graphql", "Accept-Encoding", accepts).Body.Len()
			took = min(took, time.Since(start))
		}
		return took, size
	}
	plain, length := least("identity")
	compressed, size := least("gzip")
	testkit.Check(t, size > 5000 && size < length/2, "it has %d bytes, compressed %d", length, size)
	testkit.Check(t, compressed <= 5*plain, "compressed it takes %v, plain %v", compressed, plain)
}
