package signin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"product-comments/access"
	"product-comments/internal/server/auth"
)

// Provider is a provider of OpenID Connect. Its zero value lacks Issuer, ClientID and Roles.
type Provider struct {
	Issuer, ClientID string
	Secret           string // of the client; empty for a public one
	Roles            auth.Roles

	mu    sync.Mutex
	found *oidc.Provider
	err   error
	again time.Time // when the next attempt may be made
}

const (
	providerTime = 5 * time.Second // of one request to the provider
	retryTime    = 5 * time.Second // between attempts to read its configuration
	flowTime     = 10 * time.Minute
	// maxSkew is the tolerated difference of the provider's clock: five minutes, and the time of a request.
	maxSkew = 5*time.Minute + 30*time.Second
)

// flow is a sign-in under way, in a cookie of the browser that began it.
type flow struct {
	State, Nonce, Verifier string
	To                     string // the path that was asked
	Ends                   time.Time
}

const flowCookie = "staff-sign-in"

// client returns the context of requests to the provider, which ends with the function.
func client(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(oidc.ClientContext(ctx, &http.Client{Timeout: providerTime}), 2*providerTime)
}

// discover returns the provider's configuration. It is read when it is first needed, so a server starts
// without its provider.
func (p *Provider) discover(ctx context.Context, now time.Time) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found == nil && !now.Before(p.again) {
		ctx, cancel := client(context.WithoutCancel(ctx)) // others wait for the result, too
		defer cancel()
		p.found, p.err = oidc.NewProvider(ctx, p.Issuer)
		p.again = now.Add(retryTime)
	}
	return p.found, p.err
}

// config returns the client at a provider.
func (s *SignIn) config(found *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: s.Provider.ClientID, ClientSecret: s.Provider.Secret, Endpoint: found.Endpoint(),
		RedirectURL: s.Address + PathCallback, Scopes: []string{oidc.ScopeOpenID, "profile"}}
}

// toProvider begins a sign-in that leads to a path of this server. A person who chooses may take another
// account than the last one.
func (s *SignIn) toProvider(w http.ResponseWriter, r *http.Request, to string, chooses bool) {
	found, err := s.Provider.discover(r.Context(), s.Now())
	if err != nil {
		s.refuse(w, r, unreachable(err))
		return
	}
	if !strings.HasPrefix(to, Path) || len(to) > longest/4 {
		to = Path
	}
	f := flow{rand.Text(), rand.Text(), oauth2.GenerateVerifier(), to, s.Now().Add(flowTime)}
	http.SetCookie(w, s.cookie(r, flowCookie, seal(s.flows, f), flowTime))
	options := []oauth2.AuthCodeOption{oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)}
	if chooses {
		options = append(options, oauth2.SetAuthURLParam("prompt", "select_account"))
	}
	http.Redirect(w, r, s.config(found).AuthCodeURL(f.State, options...), http.StatusSeeOther)
}

// callback ends a sign-in with the answer of the provider.
func (s *SignIn) callback(w http.ResponseWriter, r *http.Request) {
	ctx, q := r.Context(), r.URL.Query()
	if idle(r) {
		s.say(w, r, http.StatusForbidden, "idle")
		return
	}
	f, ok := sent[flow](s, s.flows, r, flowCookie)
	if !ok || q.Get("state") != f.State || !s.Now().Before(f.Ends) {
		s.say(w, r, http.StatusBadRequest, "elsewhere", "address", s.Address)
		return
	}
	first, err := s.Store.Once(ctx, answering+f.State, f.Ends)
	switch {
	case err != nil:
		s.storeFails(w, r, err)
		return
	case !first:
		s.say(w, r, http.StatusBadRequest, "usedAnswer")
		return
	}
	http.SetCookie(w, s.cookie(r, flowCookie, "", -time.Second))
	if q.Get("code") == "" {
		s.say(w, r, http.StatusForbidden, "notAgreed")
		return
	}
	p, err := s.identify(ctx, q.Get("code"), &f)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	s.Begin(w, r, *p, f.To)
}

// refusal is why a person cannot sign in.
type refusal struct {
	status int
	label  string // of the sentence
	values []any  // that fill it
	cause  error  // for the log; nil if the person can change it
}

func (r *refusal) Error() string { return r.label }

// refuse answers with a refusal. The log gets its cause, which has no secret and no token.
func (s *SignIn) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var why *refusal
	if !errors.As(err, &why) {
		why = unusable(err)
	}
	if why.cause != nil {
		s.Log.WarnContext(r.Context(), "a person cannot sign in", "issuer", s.Provider.Issuer, "error", why.cause.Error())
	}
	s.say(w, r, why.status, why.label, why.values...)
}

func unreachable(cause error) *refusal {
	return &refusal{http.StatusServiceUnavailable, "provider", nil, cause}
}

func unusable(cause error) *refusal {
	return &refusal{http.StatusBadGateway, "unusable", nil, cause}
}

// claims are what an ID token says, in addition to what oidc.IDToken has.
type claims struct {
	Party    string `json:"azp"`
	Name     string `json:"name"`
	Username string `json:"preferred_username"`
	Email    string `json:"email"`
}

// identify redeems a code and returns its person. All errors that the person cannot change have a cause.
func (s *SignIn) identify(ctx context.Context, code string, f *flow) (*Person, error) {
	found, err := s.Provider.discover(ctx, s.Now())
	if err != nil {
		return nil, unreachable(err)
	}
	ctx, cancel := client(ctx)
	defer cancel()
	token, err := s.config(found).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		return nil, &refusal{http.StatusBadRequest, "late", nil, nil}
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError: // the body may have more than the log should
		return nil, &refusal{http.StatusBadGateway, "client", nil,
			fmt.Errorf("the token endpoint answers %s %q: check --staff-oidc-client-id and --staff-oidc-client-secret-file", refused.Response.Status, refused.ErrorCode)}
	case err != nil:
		return nil, unreachable(errors.New("the token endpoint does not answer with a token"))
	}
	raw, _ := token.Extra("id_token").(string)
	// The check of times follows, with a tolerance.
	id, err := found.Verifier(&oidc.Config{ClientID: s.Provider.ClientID, SkipExpiryCheck: true}).Verify(ctx, raw)
	if err != nil {
		return nil, unusable(err)
	}
	var c claims
	var all map[string]any
	if err := errors.Join(id.Claims(&c), id.Claims(&all)); err != nil {
		return nil, unusable(err)
	}
	now := s.Now()
	switch apart := now.Sub(id.IssuedAt).Abs(); { // the token was made for this request
	case apart > maxSkew, now.Sub(id.Expiry) > maxSkew:
		by := apart.Round(time.Second).String()
		return nil, &refusal{http.StatusServiceUnavailable, "clocks", []any{"by", by}, fmt.Errorf("the clocks of this server and of the provider differ by %s, more than five minutes: set this server's clock", by)}
	case id.Nonce != f.Nonce:
		return nil, unusable(errors.New("the ID token has another nonce"))
	case c.Party != "" && c.Party != s.Provider.ClientID:
		return nil, unusable(errors.New("the ID token was made for another client (azp)"))
	}
	if err := auth.CheckSubject(id.Subject); err != nil {
		return nil, unusable(err)
	}
	v := access.Viewer{Subject: id.Subject, Role: s.Provider.Roles.Of(all)}
	p := &Person{Subject: v.Subject, Name: v.Subject, Role: v.Role.String()}
	for _, name := range []string{c.Email, c.Username, c.Name} { // the last one counts
		if auth.CheckSubject(name) == nil {
			p.Name = name
		}
	}
	if !access.IsStaff(v) {
		return nil, &refusal{http.StatusForbidden, "role", []any{"name", p.Name}, nil}
	}
	return p, nil
}
