package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/document"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/signin"
	"product-comments/internal/site/demo"
	"product-comments/internal/site/playground"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/staff"
	"product-comments/internal/site/static"
	"product-comments/store/errs"
	"product-comments/store/key/invitations"
	"product-comments/store/orders/requests"
)

const pathSchema = "/schema.graphql"

// handlePages serves the pages of people: the shop, the playground, and the schema as a file.
func (s *server) handlePages(pages, service *http.ServeMux, staff *signin.SignIn) {
	pages.Handle("GET "+pathSchema, s.schema())
	switch {
	case s.NoPlayground:
	case s.ManifestOnly: // the server would refuse any query that is typed there
		pages.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "This server executes only the operations of its manifest, so it has no playground. The API is at /graphql.", http.StatusNotFound)
		})
	case s.Shop != nil:
		s.handleShop(pages, service, staff)
	default:
		pages.Handle("/", s.playground())
	}
}

// schema returns the handler of the schema as a file for tools. It answers nothing if introspection
// is disabled.
func (s *server) schema() http.Handler {
	file := static.New(pathSchema, []byte(graph.SDL()))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.NoIntrospection {
			s.reject(w, r, &admission.Rejection{Status: http.StatusForbidden,
				Why: errs.Refuse(errs.Forbidden, document.NoIntrospection, "Introspection is disabled on this server")})
			return
		}
		file.ServeHTTP(w, r)
	})
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
	if admission.Proxied(r) {
		return nil
	}
	return s.PlaygroundTokens
}

// handleShop serves the shop at /, and the playground at /playground.
func (s *server) handleShop(pages, service *http.ServeMux, staff *signin.SignIn) {
	of := *s.Shop
	of.Service, of.Log = service, s.Log
	of.Tokens = func(r *http.Request) map[string]string {
		tokens := s.tokens(r)
		return map[string]string{"author": tokens[access.Author], "moderator": tokens[access.Moderator], "service": tokens[access.Service]}
	}
	if staff != nil {
		of.SignIn = func(w http.ResponseWriter, r *http.Request) {
			staff.Begin(w, r, signin.Person{Subject: demo.Moderator, Name: demo.Moderator, Role: access.Moderator.String()}, signin.Path)
		}
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
	options.Photos, options.Policy.Reporting = s.Photos != nil, s.Rules.Notices
	options.Policy.Photos = options.Policy.Photos && options.Photos
	options.Requests = asked{s.Store.Requests(), s.Invitations, s.Log}
	h := reviews.New(options)
	for _, path := range reviews.Paths {
		mux.Handle(path, s.chain(h, s.crossOrigin, compress))
	}
	mux.Handle(requests.PathOptOut, s.chain(h, s.admission.Rate)) // it asks no API, which would count it
}

// handleStaff serves the desk to people who have signed in. It asks the API for them.
func (s *server) handleStaff(mux *http.ServeMux, api http.Handler) *signin.SignIn {
	if s.Staff == nil {
		return nil
	}
	options := *s.Staff
	options.Store, options.Guesses, options.Log = s.Store, s.admission, s.Log
	in := signin.New(options)
	desk := staff.Options{API: api, Log: s.Log, Viewer: func(ctx context.Context) (staff.Person, bool) {
		p, ok := signin.From(ctx)
		if !ok {
			return staff.Person{}, false
		}
		return staff.Person{Subject: p.Subject, Name: p.Name, Role: p.Viewer().Role}, true
	}}
	if s.Reviews != nil {
		desk.Catalogue = s.Reviews.Catalogue
	}
	h := s.chain(in.Protect(staff.New(desk)), s.admission.Rate, compress)
	mux.Handle(signin.Path, h)
	mux.Handle(signin.Path+"/", h)
	return in
}

// asked are the review requests of the store.
type asked struct {
	*requests.Requests
	invitations *invitations.Codec
	log         *slog.Logger
}

// OpenedBy implements reviews.Requests. The page does not depend on it.
func (a asked) OpenedBy(ctx context.Context, token string) {
	i, err := a.invitations.Open(token, time.Now())
	if err == nil {
		err = a.Opened(ctx, i.OrderID)
	}
	if err != nil {
		a.log.DebugContext(ctx, "a click is not counted", "error", err)
	}
}
