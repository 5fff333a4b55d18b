// Package httpapi serves the API over HTTP. The public address has GraphQL at /graphql, photos at /photos,
// the schema as a file at /schema.graphql, the playground at /, and health checks at /healthz and /readyz. A separate
// address for operators has Prometheus metrics at /metrics, the state of the statistics at
// /readyz?verbose and profiles at /debug/pprof/.
//
// The end of this file lists the steps of a request in order. After the last step the transport
// parses the request and executes it (transport.go).
package httpapi

import (
	"maps"
	"net"
	"net/http"

	"github.com/99designs/gqlgen/graphql/handler"

	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/staff"
	"product-comments/resolvers"
)

// Service is the public handler of a process, with its health for operators.
type Service struct {
	http.Handler
	*Health
}

// New returns the whole service.
func New(c Config) *Service {
	if c.Telemetry == nil {
		c.Telemetry = telemetry.New(telemetry.Options{Log: c.Log})
	}
	if c.Ready == nil {
		c.Ready = c.Store.Ready
	}
	s := newServer(c)
	s.named, s.all = s.cors(true, named(c.Origins)), s.cors(false, c.Origins)
	s.registerMetrics()
	health := newHealth(s)
	mux := http.NewServeMux()
	resolver := s.resolver()
	api := s.chain(s.graphQL(resolver), s.apiSteps()...)
	mux.Handle("/graphql", api)
	s.handleReviews(mux, api)
	s.handlePhotos(mux, resolver)
	staff := s.handleStaff(mux, api)
	health.handlePublic(mux)
	pages := http.NewServeMux() // and what does not exist
	mux.Handle("/", s.chain(pages, s.admission.Rate))
	s.handlePages(pages, mux, staff)
	return &Service{Handler: s.chain(mux, s.commonSteps()...), Health: health}
}

// resolver returns the resolver of operations.
func (s *server) resolver() *resolvers.Resolver {
	rules := s.Rules
	rules.AnonymousVotes = s.Visitors != nil
	resolver := &resolvers.Resolver{Store: s.Store, Cursors: s.Cursors, Rules: rules, OnePerAuthor: s.OnePerAuthor,
		Invitations: s.Invitations, Guesses: s.admission, Notices: s.admission, PhotoURL: s.PhotoURL}
	if s.Reviews != nil {
		resolver.Address = s.Reviews.Address
	}
	return resolver
}

// graphQL returns the handler that executes operations.
func (s *server) graphQL(resolver *resolvers.Resolver) http.Handler {
	schema := graph.NewExecutableSchema(graph.Config{Resolvers: resolver})
	manifest := s.Manifest
	if s.Reviews != nil {
		manifest = Manifest(reviews.Operations())
		maps.Copy(manifest, s.Manifest)
	}
	if s.Staff != nil {
		all := Manifest(staff.Operations())
		maps.Copy(all, manifest)
		manifest = all
	}
	persisted := newPersistedQueries(manifest, s.ManifestOnly)
	documents := document.NewReader(s.Limits.Documents(schema.Schema(), !s.NoIntrospection))
	s.Telemetry.Cache("documents", documents.Cached)
	s.Telemetry.Cache("registered", persisted.registered.Stats)
	s.Telemetry.Register(persisted.lookups)
	h := handler.New(schema)
	h.AddTransport(transport{server: s, rules: resolver.Rules, persisted: persisted, documents: documents})
	h.SetErrorPresenter(boundErrors(resolvers.PresentError(s.Log)))
	h.SetRecoverFunc(resolvers.Recover(s.Log))
	h.AroundOperations(s.watchOperation)
	h.AroundResponses(s.watchResponse)
	return h
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
	pool := func(p *admission.Pool, name, taken, capacity string) {
		if p != nil {
			s.Telemetry.Gauge(name, taken, func() float64 { return float64(p.Used().Taken) })
			s.Telemetry.Gauge(name+"_limit", capacity, func() float64 { return float64(p.Used().Capacity) })
		}
	}
	l := s.Limits
	pool(l.Slots, "product_comments_requests_running", "Requests that are executed.", "Requests that may be executed at once.")
	pool(l.Answers, "product_comments_answer_bytes", "Bytes reserved for answers under way.", "Bytes that may be reserved for answers.")
	pool(l.Bodies, "product_comments_body_bytes", "Bytes of the bodies of requests under way.", "Bytes that the bodies of requests may take.")
	if l.Slots != nil {
		s.Telemetry.Gauge("product_comments_requests_waiting", "Requests that wait to be executed.",
			func() float64 { return float64(l.Slots.Used().Waiting) })
	}
	if l.CostBudget != nil {
		s.Telemetry.Gauge("product_comments_limited_clients", "Clients with a budget in memory.",
			func() float64 { return float64(l.CostBudget.Clients()) })
	}
}

// commonSteps are the steps of every request.
func (s *server) commonSteps() []step {
	return []step{
		requestID,
		s.log, // with metrics and traces
		s.admission.Client,
		setSecurityHeaders,
		endChunks, // closes connections that could be misread
		s.admission.Headers,
	}
}

// apiSteps are the steps of requests for /graphql, after the common ones.
func (s *server) apiSteps() []step {
	return []step{
		s.crossOrigin,     // CORS
		noStore,           // unless a later step overwrites it
		s.rejectCrossSite, // no documents by GET from pages of other sites
		s.authenticate,    // verifies the token
		s.admission.Rate,
		s.identifyVisitor, // identifies a visitor without a token by cookie
		compress,
		methods,
		s.admission.Body, // and time
		s.admission.Slot,
	}
}

// Listen returns a listener that limits the connections of the service.
func (s *Service) Listen(l net.Listener) *admission.Listener {
	return s.s.admission.Listen(l, s.s.Telemetry.Refused)
}
