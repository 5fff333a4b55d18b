package httpapi_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"product-comments/internal/engine/embedded"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// BenchmarkPage is a page of 20 of 3,000 comments through the whole service on the embedded engine,
// without the page cache and without an HTTP connection. 7 KB and 30 allocations are the benchmark's
// own. Without graph/fastpath a page takes twice the processor time, and more than three times as
// many allocations.
func BenchmarkPage(b *testing.B) {
	engine := testkit.Value(embedded.Open(b.Context(), embedded.Options{DataDir: b.TempDir()}))(b)
	defer func() { testkit.Must(b, engine.Close()) }()
	st := store.New(engine, "Bench", store.Options{PageAge: -1})
	testkit.Must(b, st.EnsureTable(b.Context(), true))
	for begin := range 30 {
		list := apitest.Comments(100)
		for i := range list {
			c, n := &list[i], begin*100+i
			c.ID, c.Rating, c.CreatedAt = fmt.Sprint("n", n), 1+n*7%5, time.Date(2024, 1, 1, 0, n, 0, 0, time.UTC)
			c.Title, c.Text = fmt.Sprint("A title of ", n), strings.Repeat("some words that repeat ", 1+n*11%25)
		}
		testkit.Value(st.Import(b.Context(), list))(b)
	}
	var handler http.Handler
	serve(b, func(c *httpapi.Config) {
		c.Log, c.Store = slog.New(slog.DiscardHandler), st
		handler = httpapi.New(*c)
	})
	for name, arguments := range map[string]string{"all": "first: 20", "three-ratings": "first: 20, ratings: [1, 3, 5]"} {
		body := fmt.Appendf(nil, `{"query": "{ product(id: \"42\") { comments(%s) { nodes { commentId rating language title text author createdAt } pageInfo { hasNextPage endCursor } } } }"}`, arguments)
		b.Run(name, func(b *testing.B) {
			var answer bytes.Buffer // which has grown after the first page
			b.ReportAllocs()
			for b.Loop() {
				answer.Reset()
				r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				w.Body = &answer
				handler.ServeHTTP(w, r)
				if w.Code != http.StatusOK || bytes.Contains(answer.Bytes(), []byte(`"errors"`)) {
					b.Fatalf("%d %s", w.Code, answer.Bytes())
				}
			}
		})
	}
}
