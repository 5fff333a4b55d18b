// Package signin signs the staff in to the pages below Path: by a provider of OpenID Connect or, on a
// machine of its own, by links that can be used once. A session is a sealed cookie, so no token is in the
// browser. The table has an item for each link that was used, each answer of the provider, and each
// session that a person ended.
package signin

import (
	"context"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/staff"
	"product-comments/internal/site/static"
	"product-comments/store/key/sealed"
	"product-comments/store/read/cache"
)

// Path is where the pages of the staff begin.
const Path = staff.Path

// PathCallback is where the provider's page leads.
const PathCallback = Path + "/callback"

const (
	pathIn      = Path + "/sign-in"
	pathSignOut = Path + "/sign-out"
	pathOut     = Path + "/signed-out"
)

// Options configure how the staff signs in.
type Options struct {
	// Provider signs people in; nil for links.
	Provider *Provider
	// Address is where browsers reach this server, such as https://reviews.shop.example.
	Address string
	Keys    *sealed.Set
	// Store remembers what happened, for all servers.
	Store interface {
		Once(ctx context.Context, what string, until time.Time) (first bool, err error)
		Happened(ctx context.Context, what string) (bool, error)
	}
	// Guesses bounds the wrong links of a client.
	Guesses interface {
		Failures(ctx context.Context) error
		Failed(ctx context.Context)
	}
	Log *slog.Logger
	Now func() time.Time // the clock; time.Now if nil
}

// SignIn signs people in and protects pages. It is safe for concurrent use.
type SignIn struct {
	Options
	sessions, links, flows *sealed.Keys
	ended                  *cache.Cache[string, bool]
	sameOrigin             *http.CrossOriginProtection
}

// New returns a SignIn.
func New(o Options) *SignIn {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &SignIn{Options: o, sessions: o.Keys.Derive("staff session"), links: o.Keys.Derive("staff link"),
		flows: o.Keys.Derive("staff sign-in"), sameOrigin: http.NewCrossOriginProtection()}
	s.ended = s.newEnded()
	if o.Address != "" { // a proxy may change the Host
		if err := s.sameOrigin.AddTrustedOrigin(o.Address); err != nil {
			panic(err) // flags have checked it
		}
	}
	return s
}

type personKey struct{}

// From returns the person who asks for a page; ok is false without a session.
func From(ctx context.Context) (p *Person, ok bool) {
	p, ok = ctx.Value(personKey{}).(*Person)
	return p, ok
}

// Protect returns a handler for all below Path. It passes the requests of people who have signed in to the
// pages, with their viewer in the context.
func (s *SignIn) Protect(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET "+stylePath, style)
	mux.HandleFunc("GET "+pathOut, func(w http.ResponseWriter, r *http.Request) {
		s.say(w, r, http.StatusOK, "out")
	})
	mux.HandleFunc("POST "+pathSignOut, s.signOut)
	if s.Provider != nil {
		mux.HandleFunc("GET "+pathIn, func(w http.ResponseWriter, r *http.Request) { s.toProvider(w, r, Path, true) })
		mux.HandleFunc("GET "+PathCallback, s.callback)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if code := r.URL.Query().Get("code"); code != "" && r.URL.Path == Path && s.Provider == nil {
			s.useLink(w, r, code)
			return
		}
		p, err := s.session(r.Context(), r)
		switch {
		case err != nil:
			s.storeFails(w, r, err)
		case p == nil:
			s.signIn(w, r)
		default:
			pages.ServeHTTP(w, r.WithContext(access.With(context.WithValue(r.Context(), personKey{}, p), p.Viewer())))
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("Content-Security-Policy", static.Policy)
		h.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers send a form without its Origin
		if s.sameOrigin.Check(r) != nil {
			s.say(w, r, http.StatusForbidden, "otherSite")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// signIn answers a request without a session. A script learns it by 401, and its page keeps what a person
// has entered.
func (s *SignIn) signIn(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.Provider == nil:
		s.say(w, r, http.StatusUnauthorized, "openLink")
	case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
		s.toProvider(w, r, r.URL.RequestURI(), false)
	default:
		s.say(w, r, http.StatusUnauthorized, "ended")
	}
}

// idle reports whether a browser asks without a person, ahead of a click that may never come. Such a
// request uses nothing up.
func idle(r *http.Request) bool {
	return r.Method == http.MethodHead || r.Header.Get("Sec-Purpose") != "" || r.Header.Get("Purpose") != ""
}

// useLink signs in by a link, which must come from this machine: a proxy's log would have it, and its
// people are others.
func (s *SignIn) useLink(w http.ResponseWriter, r *http.Request, code string) {
	ctx := r.Context()
	switch {
	case idle(r):
		s.say(w, r, http.StatusForbidden, "idle")
		return
	case !admission.Of(ctx).Local:
		s.say(w, r, http.StatusForbidden, "here")
		return
	case s.Guesses.Failures(ctx) != nil:
		s.say(w, r, http.StatusTooManyRequests, "guesses")
		return
	}
	p, ok := open[Person](s.links, code)
	if !ok || !s.Now().Before(p.Ends) {
		s.Guesses.Failed(ctx)
		s.say(w, r, http.StatusForbidden, "wrongLink")
		return
	}
	switch first, err := s.Store.Once(ctx, using+p.ID, p.Ends); {
	case err != nil:
		s.storeFails(w, r, err)
	case !first:
		s.say(w, r, http.StatusForbidden, "usedLink")
	default:
		s.Begin(w, r, p, Path)
	}
}

// storeFails answers that it is not known whether a session, a link or an answer was used.
func (s *SignIn) storeFails(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.WarnContext(r.Context(), "unavailable", "error", err.Error(), "path", Path)
	w.Header().Set("Retry-After", "5")
	s.say(w, r, http.StatusServiceUnavailable, "store")
}

//go:embed page.html signin.css labels/*.json
var files embed.FS

var (
	page      = template.Must(template.ParseFS(files, "page.html"))
	languages = reviews.NewLanguages(files)
)

const stylePath = Path + "/sign-in.css"

var style = func() static.File {
	css, _ := files.ReadFile("signin.css") // embedded
	return static.New(stylePath, css)
}()

// say answers with the sentence of a label, in the language that a request asks for: a page for a person,
// plain text for a script.
func (s *SignIn) say(w http.ResponseWriter, r *http.Request, status int, label string, values ...any) {
	l, kind := languages.Of(r), ".txt"
	sentence := l.Text(label, values...)
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		kind = ".html"
	}
	w.Header().Set("Content-Type", static.Types[kind])
	w.WriteHeader(status)
	if kind == ".txt" {
		_, _ = w.Write([]byte(sentence + "\n")) // the client may be gone
		return
	}
	_ = page.Execute(w, map[string]any{"Labels": l, "Style": style.URL(), "Sentence": sentence, "In": pathIn, "Provider": s.Provider != nil}) // likewise
}
