package httpapi_test

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
)

// BenchmarkPage is a page of 20 comments through the whole service, but without an
// HTTP connection. GraphQL, the store and the SDK allocate; most allocations are
// the SDK's, which builds, signs and sends a request. Without graph/fastpath a page
// takes twice the processor time, and more than three times as many allocations.
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
