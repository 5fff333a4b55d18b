package httpapi_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/graph"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

// slowest is how long one request of FuzzEndpoint may take, on a machine that does
// much else.
const slowest = 5 * time.Second

// Whatever is sent, the answer is JSON in time, with a code for every error, and no
// fault of the service. Documents that the schema allows are never called invalid.
func FuzzEndpoint(f *testing.F) {
	s := serve(f, func(c *httpapi.Config) { c.Rules.Plans = true })
	s.Fill(f, apitest.Comments(50)...)
	s.Project(f)
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	for _, choices := range []string{"", "\x00\x05\x02\x05\x01\x00\x03\x01\x04", "\x01\x00\x05\x05\x05\x05\x05\x05", "abcdefghijklmnopqrstuvwxyz0123456789"} {
		for form := range byte(6) {
			f.Add(form, []byte(choices), []byte(nil))
			f.Add(form, []byte(choices), []byte("\x10a\x20b"))
		}
	}
	f.Fuzz(func(t *testing.T, form byte, choices, edits []byte) {
		query, variables := apitest.Document(schema, choices)
		whole := len(edits) == 0
		query = edited(query, edits)
		r := requestOf(t, form, query, variables)
		w := httptest.NewRecorder()
		began := time.Now()
		s.Config.Handler.ServeHTTP(w, r)
		took := time.Since(began)
		testkit.Check(t, took <= slowest, "%v for %s %v", took, query, variables)
		var a apitest.Answer
		err := json.Unmarshal(w.Body.Bytes(), &a)
		testkit.Need(t, err == nil, "%d %.300s: %v for %s %v", w.Code, w.Body, err, query, variables)
		testkit.Check(t, w.Code < 500 || w.Code == http.StatusServiceUnavailable, "%d %.500s for %s %v", w.Code, w.Body, query, variables)
		for _, e := range a.Errors {
			code, _ := e.Extensions["code"].(string)
			wrong := code == "" || code == "INTERNAL" || e.Message == ""
			// Null where a variable has a default is refused with one of these, too.
			wrong = wrong || whole && code == "GRAPHQL_PARSE_FAILED"
			wrong = wrong || whole && code == "GRAPHQL_VALIDATION_FAILED" && !strings.Contains(e.Message, "null")
			wrong = wrong || schema.Types["ErrorCode"].EnumValues.ForName(code) == nil
			if reason, ok := e.Extensions["reason"].(string); ok {
				wrong = wrong || schema.Types["ErrorReason"].EnumValues.ForName(reason) == nil
			}
			testkit.Check(t, !wrong, "%d %+v for %s %v", w.Code, e, query, variables)
		}
		testkit.Check(t, len(a.Errors) > 0 || len(a.Data) > 0, "%d without data and errors for %s", w.Code, query)
	})
}

// edited breaks a document: each two bytes say where and what.
func edited(query string, edits []byte) string {
	pieces := []string{"", "{", "}", "(", ")", "...", "on", "$", ":", "@", "[", "]", "\"", "\"\"\"", "\\u", "fragment", "null", "#", "!", "=", "\x00", "\xff", "é", "\n", "-", "1e9", "query", "subscription", "a"}
	for len(edits) >= 2 && len(query) > 0 {
		at, what := int(edits[0])*len(query)/256, int(edits[1])
		edits = edits[2:]
		piece := pieces[what%len(pieces)]
		if what >= 128 {
			piece += query[at:min(at+what-128, len(query))] // again
		}
		end := min(at+1+what%3, len(query))
		query = query[:at] + piece + query[end:]
	}
	return query
}

// requestOf is a request in one of the forms that clients use.
func requestOf(t *testing.T, form byte, query string, variables map[string]any) *http.Request {
	members := map[string]any{"query": query, "variables": variables}
	body := testkit.Value(json.Marshal(members))(t)
	var r *http.Request
	switch form % 6 {
	case 0:
		text, _ := json.Marshal(variables)
		r = httptest.NewRequest(http.MethodGet, "http://127.0.0.1/graphql?"+url.Values{"query": {query}, "variables": {string(text)}}.Encode(), nil)
		r.Header.Set("Content-Type", "application/json") // which no page of another site can send unasked
	case 1:
		members["extensions"] = map[string]any{"persistedQuery": map[string]any{"version": 1, "sha256Hash": hashOf(query)}}
		body, _ = json.Marshal(members)
		fallthrough
	default:
		r = httptest.NewRequest(http.MethodPost, "http://127.0.0.1/graphql", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	if form%2 == 1 {
		r.Header.Set("Accept", "application/graphql-response+json")
	}
	if form%6 == 5 {
		r.Header.Set("Accept-Encoding", "identity")
	}
	return r
}
