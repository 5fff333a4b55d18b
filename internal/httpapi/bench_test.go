package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"product-comments/internal/httpapi"
)

// BenchmarkPage is a page of 20 comments through the whole service, HTTP
// connection aside: allocations are those of GraphQL, the store and the SDK.
func BenchmarkPage(b *testing.B) {
	var handler http.Handler
	s := serve(b, func(c *httpapi.Config) {
		c.Log = slog.New(slog.DiscardHandler)
		handler = httpapi.New(*c)
	})
	s.fill(b, comments(100)...)
	body := []byte(`{"query":"{product(id:\"42\"){comments(first:20){nodes{commentId rating language title text author createdAt}pageInfo{hasNextPage endCursor}}}}"}`)
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != http.StatusOK || bytes.Contains(w.Body.Bytes(), []byte(`"errors"`)) {
			text, _ := io.ReadAll(w.Body)
			b.Fatalf("%d %s", w.Code, text)
		}
	}
}
