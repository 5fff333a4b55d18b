// Package httpapi serves the API over HTTP: GraphQL at /graphql, the schema as a file
// at /schema.graphql, the playground at /, health checks at /healthz and /readyz; and at an address for operators alone
// Prometheus metrics at /metrics, the state of the statistics at /readyz?verbose and
// profiles at /debug/pprof/.
//
// Every request passes what looks at its outside: security headers, sizes, the name
// of the host (surface.go). One for /graphql passes then, from the outside in: CORS,
// the default headers of caching (caching.go), the refusal of what other sites' pages
// send by GET, who sends it (viewer.go, visitor.go), the budgets of clients (gate.go), the cache of responses (responses.go),
// compression, limits on size and time (middleware.go), the queue for what runs at
// once (gate.go), and the transport, which parses the request and runs it
// (transport.go).
package httpapi

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/graph/document"
	"product-comments/graph/fastpath"
	"product-comments/graph/playground"
	"product-comments/internal/auth"
	"product-comments/internal/gate"
	"product-comments/internal/telemetry"
	"product-comments/internal/visitor"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/stream"
)

// Config is what a handler needs.
type Config struct {
	Store   *store.Store
	Cursors *cursor.Codec
	Log     *slog.Logger
	Limits  Limits
	Origins gate.Origins // of other sites whose pages may call the API
	// AllowHeaders are headers that those may send beside the usual ones.
	AllowHeaders []string
	Caching      Caching
	Rules        access.Rules
	// OnePerAuthor keeps everybody to one comment about each product.
	OnePerAuthor bool
	// Auth verifies tokens; nil for a server without authentication.
	Auth *auth.Authenticator
	// Visitors tells visitors without a token from each other, so that they may vote;
	// nil if they may not.
	Visitors *visitor.Codec
	// PlaygroundTokens are tokens that the playground has filled in, by role, which
	// anybody who opens it sees, unless a proxy forwards them: that of an author
	// everywhere but in the tabs of others.
	// Tabs that need one which is missing are not there.
	PlaygroundTokens map[access.Role]string
	// Manifest holds the documents that clients can name by their id or hash from
	// the start. Clients can register others, unless ManifestOnly
	// says that nothing else runs.
	Manifest     Manifest
	ManifestOnly bool
	// NoIntrospection keeps the schema from clients.
	NoIntrospection bool
	// Projector returns how far the projector of this process is; nil if this
	// process runs none.
	Projector func() stream.Status
	// Elsewhere says for operators whether a projector runs in another process; may
	// be nil.
	Elsewhere func(context.Context) string
	// Filling tells operators, a line each, what is being made online; may be nil.
	Filling func(context.Context) string
	// Ready asks the table whether it answers; nil is Store.Ready. With a connection
	// of its own the answer does not wait behind the work of a busy server.
	Ready func(context.Context) error
	// Telemetry is told what happens, and should be the store's observer, too; nil
	// makes one that nobody else knows.
	Telemetry *telemetry.Telemetry
	// Gate bounds what all requests together may cost.
	Gate Gate
	// Refused is told the reason of each request that the gate turns away; nil for
	// nobody.
	Refused func(reason string)
	// NoPlayground leaves / empty, as ManifestOnly does but for a sentence that says why.
	NoPlayground bool
}

// Service is what a process serves: itself for everybody, and its health for
// operators.
type Service struct {
	http.Handler
	*Health
}

// New returns the whole service.
func New(c Config) *Service {
	if c.Telemetry == nil {
		c.Telemetry = telemetry.New(telemetry.Options{Log: c.Log})
	}
	door := newDoorkeeper(c)
	api, figures := graphQL(c, door)
	ask := c.Ready
	if ask == nil {
		ask = c.Store.Ready
	}
	c.Telemetry.Register(append(figures, door.metrics()...)...)
	c.Telemetry.Store(c.Store)
	c.Telemetry.Cache("identities", c.Auth.Cached)
	c.Telemetry.Keys(c.Auth.KeysAge())
	health := NewHealth(ask, c.Projector, c.Log, c.Telemetry)
	health.ready.elsewhere = c.Elsewhere
	health.Filling(c.Filling)
	mux := http.NewServeMux()
	mux.Handle("/graphql", api)
	mux.Handle("GET "+pathSchema, serveSchema(door, !c.NoIntrospection))
	health.handlePublic(mux)
	switch {
	case c.NoPlayground:
	case c.ManifestOnly: // it would refuse whatever is typed there
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "This server runs only the operations of its manifest, so there is no playground. The API answers at /graphql.", http.StatusNotFound)
		})
	default:
		mux.Handle("/", withoutTokensForProxies(c.PlaygroundTokens))
	}
	h := door.withClient(withHeaders(withEnd(door.withSizes(door.withHosts(mux)))))
	h = withLog(c.Log, c.Telemetry, withPace(c.Limits.Timeout+ReadTime, h))
	return &Service{Handler: withRequestID(c.Telemetry.Trace(h)), Health: health}
}

// graphQL returns the handler of /graphql and its metrics.
func graphQL(c Config, door *doorkeeper) (http.Handler, []prometheus.Collector) {
	c.Rules.AnonymousVotes = c.Visitors != nil
	resolver := &resolvers.Resolver{Store: c.Store, Cursors: c.Cursors, Rules: c.Rules, OnePerAuthor: c.OnePerAuthor}
	schema := graph.NewExecutableSchema(graph.Config{Resolvers: resolver, Complexity: graph.Complexity()})
	server := handler.New(schema)
	persisted := newPersistedQueries(c.Manifest, c.ManifestOnly)
	documents := document.NewReader(c.Limits.documents(schema.Schema(), !c.NoIntrospection))
	c.Telemetry.Cache("documents", documents.Cached)
	c.Telemetry.Cache("registered", persisted.registered.Stats)
	server.AddTransport(transport{
		store: c.Store, rules: c.Rules, door: door, persisted: persisted, documents: documents, limits: c.Limits, public: c.Caching.public(),
	})
	server.SetErrorPresenter(boundErrors(resolvers.PresentError(c.Log)))
	server.SetRecoverFunc(resolvers.Recover(c.Log))
	server.SetQueryCache(readDocuments{})
	if !c.NoIntrospection {
		server.Use(extension.Introspection{})
	}
	server.Use(answer.Extension{})
	server.Use(fastpath.Extension{})
	server.Use(watching{c.Telemetry})
	server.Use(&graph.Limits{Depth: c.Limits.Depth, Cost: c.Limits.Cost, Mutations: c.Limits.Mutations})
	h := withLimits(c.Limits.Body, c.Limits.Timeout, allow(door.withSlot(server), http.MethodGet, http.MethodPost))
	execute, figures := h, []prometheus.Collector{persisted.found, persisted.unknown}
	h = compressed(h)
	if c.Caching.public() != "" && c.Caching.Responses > 0 {
		cached := newResponses(c, execute, h)
		c.Telemetry.Cache("responses", cached.answers.Stats)
		h = cached
	}
	h = door.withFailures(withViewer(c.Auth, c.Telemetry, door.withBudgets(door.withVisitors(c.Visitors, c.Origins, h))))
	return withOrigins(c.Origins, c.AllowHeaders, withoutStore(door.withSites(c.Origins, h))), figures
}

// withoutTokensForProxies returns the playground with tokens, and without any where a proxy
// forwards the request: then whoever asks may be on another machine.
func withoutTokensForProxies(tokens map[access.Role]string) http.Handler {
	page := func(tokens map[access.Role]string) http.Handler {
		return playground.Handler("/graphql", examples(tokens), tokens[access.Author])
	}
	with, without := page(tokens), page(nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gate.Proxied(r) {
			without.ServeHTTP(w, r)
			return
		}
		with.ServeHTTP(w, r)
	})
}

// allow answers requests with other methods with 405.
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
