package httpapi_test

import (
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// spans is a collector of traces.
type spans struct {
	*httptest.Server
	mu  sync.Mutex
	all []*v1.Span
}

func collect(t *testing.T) *spans {
	c := &spans{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := io.Reader(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		text, err := io.ReadAll(body)
		var request collector.ExportTraceServiceRequest
		testkit.Check(t, err == nil && r.URL.Path == "/v1/traces" && proto.Unmarshal(text, &request) == nil, "%s: %v", r.URL.Path, err)
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				c.all = append(c.all, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(c.Close)
	return c
}

// take returns the spans so far, after telemetry is closed.
func (c *spans) take() []*v1.Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all
}

func attributesOf(s *v1.Span) map[string]string {
	out := map[string]string{}
	for _, a := range s.GetAttributes() {
		text, _ := json.Marshal(a.GetValue())
		out[a.GetKey()] = string(text)
	}
	return out
}

// A request is one trace, from HTTP through the plan to each call of the store, with
// what each cost and nothing of what was asked or said.
func TestTrace(t *testing.T) {
	to := collect(t)
	var watched *telemetry.Telemetry
	s := apitest.Serve(t, func(c *httpapi.Config) {
		watched = c.Telemetry
		testkit.Must(t, watched.StartTraces(telemetry.Traces{Endpoint: to.URL, Ratio: 1}))
	})
	comments := apitest.Comments(10)
	for i := range comments {
		comments[i].Title, comments[i].Text = "secret title", "secret text"
	}
	s.Fill(t, comments...)
	const query = `query Shown($id: ID!) { product(id: $id) { comments(first: 5) { nodes { title text } } } }`
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	body, _ := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"id": "42"}})
	token := apitest.Authorization(t, access.Viewer{Subject: "secret", Role: access.Author})
	a := s.Send(t, http.MethodPost, "/graphql", body, append(token, "Content-Type", "application/json", "Traceparent", parent)...)
	testkit.Need(t, len(a.Errors) == 0, "%v", a.Errors)
	s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"{ secret }"}`), "Content-Type", "application/json")
	watched.Close()

	byName := map[string]*v1.Span{}
	for _, span := range to.take() {
		if _, known := byName[span.GetName()]; !known {
			byName[span.GetName()] = span
		}
		text := strings.ToLower(span.String())
		testkit.Check(t, !strings.Contains(text, "secret") && !strings.Contains(text, "eyj"), "a span quotes what was sent or stored: %s", text)
	}
	parents := map[string]string{
		"POST /graphql": "", "parse and validate": "POST /graphql", "execute": "POST /graphql",
		"plan": "execute", "page": "execute", "DynamoDB Query": "page",
	}
	root := byName["POST /graphql"]
	for name, above := range parents {
		span := byName[name]
		testkit.Need(t, span != nil, "no span %s in %v", name, byName)
		if string(span.GetTraceId()) != string(root.GetTraceId()) || above != "" && string(span.GetParentSpanId()) != string(byName[above].GetSpanId()) {
			t.Errorf("%s is not a part of %s", name, above)
		}
		if span.GetEndTimeUnixNano() < span.GetStartTimeUnixNano() || span.GetStartTimeUnixNano() < root.GetStartTimeUnixNano() {
			t.Errorf("%s: from %d to %d", name, span.GetStartTimeUnixNano(), span.GetEndTimeUnixNano())
		}
	}
	for name, wants := range map[string]map[string]string{
		"POST /graphql":  {"http.response.status_code": "200"},
		"execute":        {"graphql.operation.name": "Shown", "graphql.operation.type": "query"},
		"plan":           {"strategy": "single partition", "index": "all"},
		"page":           {"read_units": "0.5", "queries": "1", "fallback": "false"},
		"DynamoDB Query": {"access": "AP1", "index": "all", "read_units": "0.5", "result": "ok"},
	} {
		got := attributesOf(byName[name])
		for attribute, want := range wants {
			testkit.Check(t, strings.Contains(got[attribute], want), "%s: %s is %s, want %s", name, attribute, got[attribute], want)
		}
	}
	// A client that is not trusted does not choose its trace, but is linked to it.
	id := hex.EncodeToString(root.GetTraceId())
	if strings.Contains(parent, id) || len(root.GetParentSpanId()) > 0 || len(root.GetLinks()) != 1 || !strings.Contains(parent, hex.EncodeToString(root.GetLinks()[0].GetTraceId())) {
		t.Errorf("trace %s of a client that said %s; links %v", id, parent, root.GetLinks())
	}
	testkit.Check(t, strings.Contains(s.Log.String(), `"trace_id":"`+id+`"`), "the log does not name the trace")
}

// Only a trusted client decides whether its request is traced.
func TestTrustedTrace(t *testing.T) {
	const id, span = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	for _, c := range []struct {
		trusted               bool
		ratio                 float64
		flag                  string
		wantSpans, wantTheirs bool
		description           string
	}{
		{false, 0, "01", false, false, "a client cannot have itself traced"},
		{false, 1, "00", true, false, "nor keep itself from being traced"},
		{true, 0, "01", true, true, "a trusted one can"},
		{true, 1, "00", false, false, "both"},
	} {
		to := collect(t)
		watched := telemetry.New(telemetry.Options{})
		testkit.Must(t, watched.StartTraces(telemetry.Traces{Endpoint: to.URL, Ratio: c.ratio, Trusted: c.trusted}))
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Header.Set("Traceparent", "00-"+id+"-"+span+"-"+c.flag)
		_, end := watched.BeginRequest(r)
		end(http.StatusNotFound)
		watched.Close()
		got := to.take()
		testkit.Check(t, (len(got) == 1) == c.wantSpans && (!c.wantSpans || (hex.EncodeToString(got[0].GetTraceId()) == id) == c.wantTheirs), "%s: %v", c.description, got)
	}
}
