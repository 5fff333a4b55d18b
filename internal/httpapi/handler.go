// Package httpapi serves the API over HTTP: GraphQL at /graphql, the
// playground at /, what a balancer asks at /healthz and /readyz, and what
// Prometheus collects at /metrics.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/99designs/gqlgen/graphql/handler/lru"
	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/cors"
	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph"
	"product-comments/graph/fastpath"
	"product-comments/graph/playground"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/stream"
)

// Limits bound what a client can ask for.
type Limits struct {
	Body    int64         // bytes of a request's body
	Tokens  int           // of a query document
	Depth   int           // levels of fields
	Cost    int           // see graph.Complexity
	Timeout time.Duration // of a request
}

// DefaultLimits let through what front ends ask for: a page of 100 with every
// field, or the first page of dozens of products.
var DefaultLimits = Limits{Body: 512 << 10, Tokens: 5000, Depth: 16, Cost: 5000, Timeout: 10 * time.Second}

// Config is what a handler needs.
type Config struct {
	Store   *store.Store
	Cursors *cursor.Codec
	Log     *slog.Logger
	Limits  Limits
	Origins []string // of other sites whose pages may call the API; none if empty
	Caching Caching
	Explain bool // whether clients may see how pages are read
	// Manifest has the documents that clients can name by their hash from the
	// start; others they register themselves.
	Manifest Manifest
	// Projector tells how far the projector of this process is; nil if none runs in it.
	Projector func() stream.Status
}

// New returns the handler of the whole service.
func New(c Config) http.Handler {
	mux := http.NewServeMux()
	api, figures := graphQL(c)
	mux.Handle("/graphql", api)
	handleOperations(mux, c.Store, c.Projector, c.Log, figures...)
	page := playground.Handler("/graphql", ExampleQuery)
	mux.Handle("/", page)
	return withRequestID(withLog(c.Log, mux))
}

// NewOperations returns the handler of a process that only projects: health and
// metrics.
func NewOperations(s *store.Store, projector func() stream.Status, log *slog.Logger) http.Handler {
	mux := http.NewServeMux()
	handleOperations(mux, s, projector, log)
	return withRequestID(withLog(log, mux))
}

// operations are the paths that operators' tools ask for.
var operations = []string{"/healthz", "/readyz", "/metrics"}

// handleOperations adds what operators and their tools ask for.
func handleOperations(mux *http.ServeMux, s *store.Store, projector func() stream.Status, log *slog.Logger, more ...prometheus.Collector) {
	mux.HandleFunc("GET /healthz", healthz)
	mux.Handle("GET /readyz", &readyz{ask: s.Ready, projector: projector, log: log})
	mux.Handle("GET /metrics", metrics(projector, more...))
}

// graphQL returns the handler of /graphql, and what is measured of it.
func graphQL(c Config) (http.Handler, []prometheus.Collector) {
	resolver := &resolvers.Resolver{Store: c.Store, Cursors: c.Cursors, Explain: c.Explain}
	server := handler.New(graph.NewExecutableSchema(graph.Config{Resolvers: resolver, Complexity: graph.Complexity()}))
	persisted := newPersistedQueries(c.Manifest)
	server.AddTransport(transport{store: c.Store, persisted: persisted, public: c.Caching.public()})
	server.SetErrorPresenter(resolvers.PresentError(c.Log))
	server.SetRecoverFunc(resolvers.Recover(c.Log))
	server.SetParserTokenLimit(c.Limits.Tokens)
	server.SetQueryCache(smallQueries{lru.New[*ast.QueryDocument](queryCacheEntries)})
	server.Use(extension.Introspection{})
	server.Use(fastpath.Extension{})
	server.Use(&graph.Limits{Depth: c.Limits.Depth, Cost: c.Limits.Cost})
	h := withLimits(c.Limits.Body, c.Limits.Timeout, allow(server, http.MethodGet, http.MethodPost))
	execute, figures := h, []prometheus.Collector{persisted.found, persisted.unknown}
	h = gzhttp.GzipHandler(h)
	if c.Caching.public() != "" && c.Caching.Responses > 0 {
		cached := newResponses(c, execute, h)
		h, figures = cached, append(figures, cached.metrics()...)
	}
	h = withoutStore(h)
	if len(c.Origins) > 0 { // rs/cors takes none for all
		h = cors.New(cors.Options{
			AllowedOrigins: c.Origins,
			AllowedMethods: []string{http.MethodGet, http.MethodPost},
			AllowedHeaders: []string{"Accept", "Content-Type", requestIDHeader},
			ExposedHeaders: []string{requestIDHeader},
			MaxAge:         int((10 * time.Minute).Seconds()),
		}).Handler(h)
	}
	return h, figures
}

// allow answers other methods with what is allowed.
func allow(next http.Handler, methods ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, m := range methods {
			if r.Method == m {
				next.ServeHTTP(w, r)
				return
			}
		}
		for _, m := range methods {
			w.Header().Add("Allow", m)
		}
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
	})
}

const (
	queryCacheEntries = 1000
	largestCached     = 8 << 10 // bytes: a thousand of them must fit into memory
)

// smallQueries caches parsed and validated documents, except large ones: they
// carry data in place of variables and are not sent twice.
type smallQueries struct {
	*lru.LRU[*ast.QueryDocument]
}

// Add is part of graphql.Cache.
func (c smallQueries) Add(ctx context.Context, query string, doc *ast.QueryDocument) {
	if len(query) <= largestCached {
		c.LRU.Add(ctx, query, doc)
	}
}

var _ graphql.Cache[*ast.QueryDocument] = smallQueries{}
