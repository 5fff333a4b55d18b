// Package httpapi serves the API over HTTP. The public address has GraphQL at /graphql, the schema as a
// file at /schema.graphql, the playground at /, and health checks at /healthz and /readyz. A separate
// address for operators has Prometheus metrics at /metrics, the state of the statistics at
// /readyz?verbose and profiles at /debug/pprof/.
//
// The end of this file lists the steps of a request in order. After the last step the transport
// parses the request and executes it (transport.go).
package httpapi

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

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
	"product-comments/internal/reviews"
	"product-comments/internal/shop"
	"product-comments/internal/telemetry"
	"product-comments/internal/visitor"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/stream"
)

// Config configures a service.
type Config struct {
	Store   *store.Store
	Cursors *cursor.Codec
	Log     *slog.Logger
	Limits  Limits
	Origins gate.Origins // other sites whose pages may call the API
	// AllowHeaders are additional headers that pages of these origins may send.
	AllowHeaders []string
	// CacheMaxAge is how long browsers and proxies may reuse an answer, in whole seconds. Below one
	// second they may not.
	CacheMaxAge time.Duration
	Rules       access.Rules
	// OnePerAuthor allows each author one comment per product.
	OnePerAuthor bool
	// Auth verifies tokens; nil for a server without authentication.
	Auth *auth.Authenticator
	// Visitors identifies visitors without a token, so that they may vote; nil if they may not.
	Visitors *visitor.Codec
	// PlaygroundTokens are the preset tokens of the playground, by role. Anyone who opens the
	// playground sees them, unless a proxy forwards the request. Tabs use the author's token unless
	// they name another role. Tabs without their token are omitted.
	PlaygroundTokens map[access.Role]string
	// Manifest holds documents that clients can name by id or hash. Clients can register others,
	// unless ManifestOnly is set.
	Manifest     Manifest
	ManifestOnly bool
	// NoIntrospection disables introspection.
	NoIntrospection bool
	// Projector returns the status of this process's projector; nil if it runs none.
	Projector func() stream.Status
	// Elsewhere describes for operators whether a projector runs in another process; may be nil.
	Elsewhere func(context.Context) string
	// Filling describes for operators the indexes that are being built, one per line; may be nil.
	Filling func(context.Context) string
	// Ready checks that the table answers; nil is Store.Ready. With separate connections the check
	// does not wait behind the requests of a busy server.
	Ready func(context.Context) error
	// Telemetry receives events, and should also be the store's observer; nil creates one.
	Telemetry *telemetry.Telemetry
	// Gate limits the load that all requests together may cause.
	Gate Gate
	// NoPlayground serves nothing at /. ManifestOnly does the same, with a page that explains it.
	NoPlayground bool
	// Shop is served at /, and moves the playground to /playground; nil for none. New sets its
	// service and tokens.
	Shop *shop.Shop
	// Reviews are the options of sections, apart from API; nil serves none.
	Reviews *reviews.Options
}

// Service is the public handler of a process, with its health for operators.
type Service struct {
	http.Handler
	*Health
}

// server implements a Config. Its methods with the signature of step are the steps below.
type server struct {
	Config
	countRefusal func(reason string) // counts the reason of a refusal; nil for none
	named        gate.Origins        // the origins that name sites
	public       string              // Cache-Control of answers that shared caches may store; empty for none
	warned       atomic.Bool         // about a proxy that is not trusted
}

// New returns the whole service.
func New(c Config) *Service {
	if c.Telemetry == nil {
		c.Telemetry = telemetry.New(telemetry.Options{Log: c.Log})
	}
	if c.Ready == nil {
		c.Ready = c.Store.Ready
	}
	s := &server{Config: c, countRefusal: c.Telemetry.Refused, named: c.Origins.Named(), public: public(c.CacheMaxAge)}
	s.registerMetrics()
	health := NewHealth(c)
	mux := http.NewServeMux()
	api := chain(s.graphQL(), s.apiSteps()...)
	mux.Handle("/graphql", api)
	s.handleReviews(mux, api)
	health.handlePublic(mux)
	pages := http.NewServeMux() // and what does not exist
	mux.Handle("/", chain(pages, s.checkBudgets))
	pages.Handle("GET "+pathSchema, s.schema())
	switch {
	case c.NoPlayground:
	case c.ManifestOnly: // the server would refuse any query that is typed there
		pages.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "This server executes only the operations of its manifest, so it has no playground. The API is at /graphql.", http.StatusNotFound)
		})
	case c.Shop != nil:
		s.handleShop(pages, mux)
	default:
		pages.Handle("/", s.playground())
	}
	return &Service{Handler: chain(mux, s.commonSteps()...), Health: health}
}

// graphQL returns the handler that executes operations.
func (s *server) graphQL() http.Handler {
	rules := s.Rules
	rules.AnonymousVotes = s.Visitors != nil
	resolver := &resolvers.Resolver{Store: s.Store, Cursors: s.Cursors, Rules: rules, OnePerAuthor: s.OnePerAuthor}
	schema := graph.NewExecutableSchema(graph.Config{Resolvers: resolver})
	manifest := s.Manifest
	if s.Reviews != nil {
		manifest = Manifest(reviews.Operations())
		maps.Copy(manifest, s.Manifest)
	}
	persisted := newPersistedQueries(manifest, s.ManifestOnly)
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

// playground returns the playground with the tokens that a request's client may have.
func (s *server) playground() http.Handler {
	page := func(tokens map[access.Role]string) http.Handler {
		return playground.Handler("/graphql", examples(tokens), tokens[access.Author])
	}
	with, without := page(s.PlaygroundTokens), page(nil)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.tokens(r) == nil {
			without.ServeHTTP(w, r)
			return
		}
		with.ServeHTTP(w, r)
	})
}

// tokens returns the tokens that pages may show. It returns none for a request that a proxy
// forwards, because its client may be on another machine.
func (s *server) tokens(r *http.Request) map[access.Role]string {
	if gate.Proxied(r) {
		return nil
	}
	return s.PlaygroundTokens
}

// handleShop serves the shop at /, and the playground at /playground.
func (s *server) handleShop(pages, service *http.ServeMux) {
	of := *s.Shop
	of.Service, of.Log = service, s.Log
	of.Tokens = func(r *http.Request) map[string]string {
		tokens := s.tokens(r)
		return map[string]string{"author": tokens[access.Author], "moderator": tokens[access.Moderator]}
	}
	of.Register(pages)
	playground := s.playground()
	pages.Handle("/playground/", playground)
	pages.HandleFunc("GET /playground", func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path = "/"
		playground.ServeHTTP(w, r)
	})
}

// handleReviews serves sections, which ask the API for the client of their request.
func (s *server) handleReviews(mux *http.ServeMux, api http.Handler) {
	if s.Reviews == nil {
		return
	}
	options := *s.Reviews
	options.API, options.Log, options.CacheControl = api, s.Log, s.public
	h := reviews.New(options)
	for _, path := range reviews.Paths {
		mux.Handle(path, chain(h, s.crossOrigin(), compress))
	}
}

// registerMetrics registers metrics of the limits, of tokens and of the store.
func (s *server) registerMetrics() {
	s.Telemetry.Store(s.Store)
	s.Telemetry.Cache("identities", s.Auth.Cached)
	if age := s.Auth.KeysAge(); age != nil {
		s.Telemetry.Gauge("product_comments_auth_keys_age_seconds",
			"Seconds since the published keys that verify tokens were last read.",
			func() float64 { return age().Seconds() })
	}
	room := func(r *gate.Room, name, inside, capacity string) {
		s.Telemetry.Gauge(name, inside, func() float64 { return float64(r.Occupancy().Inside) })
		s.Telemetry.Gauge(name+"_limit", capacity, func() float64 { return float64(r.Occupancy().Capacity) })
	}
	g := s.Gate
	if g.Slots != nil {
		room(g.Slots.Room, "product_comments_requests_running", "Requests that are executed.",
			"Requests that may be executed at once.")
		s.Telemetry.Gauge("product_comments_requests_waiting", "Requests that wait to be executed.",
			func() float64 { return float64(g.Slots.Occupancy().Waiting) })
	}
	if g.Memory != nil {
		room(g.Memory.Room, "product_comments_answer_bytes", "Bytes reserved for answers under way.",
			"Bytes that may be reserved for answers.")
	}
	if g.Bodies != nil {
		room(g.Bodies.Room, "product_comments_body_bytes", "Bytes of the bodies of requests under way.",
			"Bytes that the bodies of requests may take.")
	}
	if g.Cost.Limiter != nil {
		s.Telemetry.Gauge("product_comments_limited_clients", "Clients with a budget in memory.",
			func() float64 { return float64(g.Cost.Clients()) })
	}
}

// step is a part of a request's processing: it answers the request or calls next.
type step func(w http.ResponseWriter, r *http.Request, next http.Handler)

// chain returns a handler that passes requests through steps, in order, to last.
func chain(last http.Handler, steps ...step) http.Handler {
	for _, one := range slices.Backward(steps) {
		next := last
		last = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { one(w, r, next) })
	}
	return last
}

// commonSteps are the steps of every request.
func (s *server) commonSteps() []step {
	return []step{
		requestID,
		s.trace,
		s.log,
		s.limitSlowReaders, // closes connections of clients that do not read their answers
		s.identifyClient,   // determines the client
		setSecurityHeaders, // security headers
		endChunks,          // closes connections that could be misread
		s.checkSizes,       // of the URL and the headers
		s.checkHost,        // host names of this server
	}
}

// apiSteps are the steps of requests for /graphql, after the common ones.
func (s *server) apiSteps() []step {
	return []step{
		s.crossOrigin(),   // CORS
		noStore,           // unless a later step overwrites it
		s.rejectCrossSite, // no documents by GET from pages of other sites
		s.authenticate,    // verifies the token
		s.checkBudgets,    // of the client
		s.identifyVisitor, // identifies a visitor without a token by cookie
		compress,
		s.limitRequest, // size and time
		methods,
		s.waitForSlot, // reads the body, and limits concurrent requests
	}
}

// healthSteps are the steps of requests for health.
func (s *server) healthSteps() []step { return []step{requestID, s.log, setSecurityHeaders} }
