// Package httpapi serves the API over HTTP: GraphQL at /graphql, the schema as a file
// at /schema.graphql, the playground at /, health checks at /healthz and /readyz; and at an address for operators alone
// Prometheus metrics at /metrics, the state of the statistics at /readyz?verbose and
// profiles at /debug/pprof/.
//
// What a request passes is listed at the end of this file, in its order. At the end the transport
// parses the request and runs it (transport.go).
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql/handler"
	"github.com/99designs/gqlgen/graphql/handler/extension"

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
	// AllowHeaders are headers that those may send besides the usual ones.
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
	// Telemetry receives what happens, and should be the store's observer, too; nil
	// makes one that no one else knows.
	Telemetry *telemetry.Telemetry
	// Gate bounds what all requests together may cost.
	Gate Gate
	// NoPlayground leaves / empty, as ManifestOnly does but for a sentence that says why.
	NoPlayground bool
}

// Service is what a process serves: itself for everybody, and its health for
// operators.
type Service struct {
	http.Handler
	*Health
}

// server carries a Config out. Its methods of a step's signature are the steps below.
type server struct {
	Config
	tell   func(reason string) // of each refusal; nil for none
	named  gate.Origins        // those of Origins that name sites
	public string              // Cache-Control of answers that caches may share; "" for none
	warned atomic.Bool         // of a proxy that is not trusted
}

// New returns the whole service.
func New(c Config) *Service {
	if c.Telemetry == nil {
		c.Telemetry = telemetry.New(telemetry.Options{Log: c.Log})
	}
	if c.Ready == nil {
		c.Ready = c.Store.Ready
	}
	s := &server{Config: c, tell: c.Telemetry.Refused, named: c.Origins.Named(), public: c.Caching.public()}
	s.registerMetrics()
	health := NewHealth(c)
	mux := http.NewServeMux()
	mux.Handle("/graphql", through(s.graphQL(), s.api(s.newResponses())...))
	mux.Handle("GET "+pathSchema, through(s.schema(), compress))
	health.handlePublic(mux)
	switch {
	case c.NoPlayground:
	case c.ManifestOnly: // it would refuse whatever is typed there
		mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "This server executes only the operations of its manifest, so it has no playground. The API is at /graphql.", http.StatusNotFound)
		})
	default:
		mux.Handle("/", withoutTokensForProxies(c.PlaygroundTokens))
	}
	return &Service{Handler: through(mux, s.outside()...), Health: health}
}

// graphQL returns the handler that executes operations.
func (s *server) graphQL() http.Handler {
	rules := s.Rules
	rules.AnonymousVotes = s.Visitors != nil
	resolver := &resolvers.Resolver{Store: s.Store, Cursors: s.Cursors, Rules: rules, OnePerAuthor: s.OnePerAuthor}
	schema := graph.NewExecutableSchema(graph.Config{Resolvers: resolver})
	persisted := newPersistedQueries(s.Manifest, s.ManifestOnly)
	documents := document.NewReader(s.Limits.documents(schema.Schema(), !s.NoIntrospection))
	s.Telemetry.Cache("documents", documents.Cached)
	s.Telemetry.Cache("registered", persisted.registered.Stats)
	s.Telemetry.Register(persisted.lookups)
	h := handler.New(schema)
	h.AddTransport(transport{server: s, rules: rules, persisted: persisted, documents: documents})
	h.SetErrorPresenter(boundErrors(resolvers.PresentError(s.Log)))
	h.SetRecoverFunc(resolvers.Recover(s.Log))
	h.SetQueryCache(readDocuments{})
	if !s.NoIntrospection {
		h.Use(extension.Introspection{})
	}
	h.AroundFields(answer.InterceptField)
	h.AroundFields(fastpath.InterceptField)
	h.AroundOperations(s.watchOperation)
	h.AroundResponses(s.watchResponse)
	h.Use(&graph.Limits{Cost: s.Limits.Cost, Mutations: s.Limits.Mutations})
	return h
}

// withoutTokensForProxies returns the playground with tokens, and without any where a proxy
// forwards the request: then the client may be on another machine.
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

// registerMetrics lets Prometheus collect what is bounded, and what is known of tokens and
// the store.
func (s *server) registerMetrics() {
	s.Telemetry.Store(s.Store)
	s.Telemetry.Cache("identities", s.Auth.Cached)
	if age := s.Auth.KeysAge(); age != nil {
		s.Telemetry.Gauge("product_comments_auth_keys_age_seconds", "Seconds since the published keys that verify tokens were last read.",
			func() float64 { return age().Seconds() })
	}
	room := func(r *gate.Room, name, inside, capacity string) {
		s.Telemetry.Gauge(name, inside, func() float64 { return float64(r.Occupancy().Inside) })
		s.Telemetry.Gauge(name+"_limit", capacity, func() float64 { return float64(r.Occupancy().Capacity) })
	}
	g := s.Gate
	if g.Slots != nil {
		room(g.Slots, "product_comments_requests_running", "Requests that are executed.", "Requests that may be executed at once.")
		s.Telemetry.Gauge("product_comments_requests_waiting", "Requests that wait to be executed.",
			func() float64 { return float64(g.Slots.Occupancy().Waiting) })
	}
	if g.Memory != nil {
		room(g.Memory, "product_comments_answer_bytes", "Bytes reserved for answers under way.", "Bytes that may be reserved for answers.")
	}
	if g.Bodies != nil {
		room(g.Bodies.Room, "product_comments_body_bytes", "Bytes of the bodies of requests under way.", "Bytes that the bodies of requests may take.")
	}
	if g.Cost.Limiter != nil {
		s.Telemetry.Gauge("product_comments_limited_clients", "Clients with a budget in memory.",
			func() float64 { return float64(g.Cost.Clients()) })
	}
}

// step is a part of the way of a request: it answers the request, or calls next.
type step func(w http.ResponseWriter, r *http.Request, next http.Handler)

// through returns a handler that leads requests through steps, in their order, to last.
func through(last http.Handler, steps ...step) http.Handler {
	for _, one := range slices.Backward(steps) {
		next := last
		last = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { one(w, r, next) })
	}
	return last
}

// outside are the steps of every request to the service.
func (s *server) outside() []step {
	return []step{
		requestID,
		s.trace,
		s.log,
		s.pace,    // cuts off clients that do not read their answers
		s.client,  // finds out where the request comes from
		headers,   // tells browsers to be careful
		endChunks, // ends connections that could be misread
		s.sizes,   // of the URL and the headers
		s.hosts,   // names of this server
	}
}

// api are the steps of a request for /graphql, after those outside.
func (s *server) api(cached *responses) []step {
	return []step{
		s.crossOrigin(), // CORS
		noStore,         // unless a later step says otherwise
		s.sites,         // no documents that pages of other sites send by GET
		s.viewer,        // verifies the token
		s.budgets,       // of the client
		s.visitor,       // reads the cookie of a visitor without a token
		cached.serve,
		compress,
		s.limit, // size and time
		methods,
		s.slot, // reads the body, and waits in the queue for what runs at once
	}
}

// polled are the steps of requests for the health of a process.
func (s *server) polled() []step { return []step{requestID, s.log, headers} }
