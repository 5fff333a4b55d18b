package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"product-comments/internal/apitest"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
)

// BenchmarkPage is a page of 20 comments through the whole service, but without an
// HTTP connection. GraphQL, the store and the SDK allocate; most allocations are
// the SDK's, which builds, signs and sends a request. Without graph/fastpath a page
// takes a fifth more processor time, and three times as many allocations.
func BenchmarkPage(b *testing.B) {
	var handler http.Handler
	s := serve(b, func(c *httpapi.Config) {
		c.Log = slog.New(slog.DiscardHandler)
		handler = httpapi.New(*c)
	})
	s.Fill(b, apitest.Comments(100)...)
	body := []byte(`{"query":"{product(id:\"42\"){comments(first:20){nodes{commentId rating language title text author createdAt}pageInfo{hasNextPage endCursor}}}}"}`)
	var answer bytes.Buffer // which has grown after the first page
	b.ReportAllocs()
	for b.Loop() {
		answer.Reset()
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		w.Body = &answer
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK || bytes.Contains(w.Body.Bytes(), []byte(`"errors"`)) {
			text, _ := io.ReadAll(w.Body)
			b.Fatalf("%d %s", w.Code, text)
		}
	}
}

// BenchmarkResponseCacheHit is a page of 20 comments from the cache of responses,
// without an HTTP connection.
func BenchmarkResponseCacheHit(b *testing.B) {
	var handler http.Handler
	s := serve(b, cached(1<<20), func(c *httpapi.Config) {
		c.Caching.MaxAge = time.Hour
		c.Log = slog.New(slog.DiscardHandler)
		handler = httpapi.New(*c)
	})
	s.Fill(b, apitest.Comments(100)...)
	p := listed
	p.variables = `{"id":"42","first":20}`
	r := httptest.NewRequest(http.MethodGet, p.path(), nil)
	r.Header.Set("Accept", "*/*")
	r.Header.Set("Accept-Encoding", "gzip, deflate, br")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	w := &discard{header: http.Header{}}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		handler.ServeHTTP(w, r)
		testkit.Need(b, w.status == http.StatusOK && w.header["Age"] != nil, "%d %v", w.status, w.header)
	}
}

// discard is a response writer that throws the body away.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(status int)      { d.status = status }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
