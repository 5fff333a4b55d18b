package httpapi_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/apitest"
	"product-comments/internal/auth"
	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
)

const create = `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{rating}}}`

// A token that is not valid refuses the whole request, also one that needs none,
// also one that a cache could answer, and it leaves no trace in the log.
func TestAnInvalidTokenRefusesTheRequest(t *testing.T) {
	s := serve(t, cached(1<<20))
	s.Fill(t, apitest.Comments(1)...)
	const secret = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5In0."
	for range 2 { // the second is kept by the cache
		a := s.ask(t, http.MethodGet, listed)
		testkit.Need(t, a.Status == http.StatusOK, "%d %+v", a.Status, a.Errors)
	}
	for name, a := range map[string]apitest.Answer{
		"a query":     s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"{__typename}"}`), "Content-Type", "application/json", "Authorization", "Bearer "+secret),
		"a mutation":  s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"`+strings.ReplaceAll(create, `"`, `\"`)+`"}`), "Content-Type", "application/json", "Authorization", "Bearer "+secret),
		"by hash":     s.ask(t, http.MethodGet, listed, "Authorization", "Bearer "+secret),
		"no request":  s.Send(t, http.MethodDelete, "/graphql", nil, "Authorization", "Bearer "+secret),
		"other media": s.Send(t, http.MethodGet, "/graphql?query={__typename}", nil, "Authorization", "Basic YTpi", "Accept", "application/graphql-response+json"),
	} {
		if a.Status != http.StatusUnauthorized || len(a.Data) > 0 || len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAUTHENTICATED" {
			t.Errorf("%s: %d %s %+v", name, a.Status, a.Data, a.Errors)
		}
		got := a.Header.Get("WWW-Authenticate")
		testkit.Check(t, strings.HasPrefix(got, `Bearer realm="product-comments", error="invalid_token", error_description="`), "%s: WWW-Authenticate is %q", name, got)
		testkit.Equal(t, a.Header.Get("Cache-Control"), "no-store", "%s: Cache-Control", name)
	}
	log := s.Log.String()
	testkit.Check(t, !strings.Contains(log, "eyJ") && !strings.Contains(log, "YTpi"), "the log has a token: %s", log)
}

const typename = `{__typename}`

func TestAMissingTokenIsAnonymous(t *testing.T) {
	s := serve(t)
	if a := s.As(apitest.Anonymous).Post(t, typename, nil); a.Status != http.StatusOK || string(a.Data) != `{"__typename":"Query"}` {
		t.Errorf("%d %s", a.Status, a.Data)
	}
	a := s.As(apitest.Anonymous).WantError(t, create, "UNAUTHENTICATED", "")
	if a.Status != http.StatusOK || a.Errors[0].Message != "Sign in to write." {
		t.Errorf("%d: %s", a.Status, a.Errors[0].Message)
	}
	s.As(apitest.Alice).Want(t, create, `{"createComment":{"comment":{"rating":5}}}`)
}

// Without its keys the server cannot tell a valid token from another.
func TestATokenThatCannotBeVerifiedYet(t *testing.T) {
	down := func(context.Context) ([]byte, error) { return nil, errors.New("down") }
	keys := auth.OpenKeys(t.Context(), down, "https://keys.example/", slog.New(slog.DiscardHandler))
	defer keys.Close()
	s := serve(t, func(c *httpapi.Config) { c.Auth = auth.New(auth.Config{Keys: keys}) })
	const token = "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.e30.AAAA"
	a := s.Send(t, http.MethodGet, "/graphql?query={__typename}", nil, "Authorization", token)
	if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") != "5" || a.Errors[0].Extensions["retryAfter"] != 5.0 || a.Errors[0].Extensions["code"] != "UNAVAILABLE" {
		t.Errorf("%d %v %+v", a.Status, a.Header, a.Errors)
	}
}

// Without authentication the rules say who may write, and a token is refused, for
// nobody can tell whose it is.
func TestWithoutAuthentication(t *testing.T) {
	for writes, code := range map[access.Writes]string{access.ByAnybody: "", access.ByNobody: "FORBIDDEN"} {
		s := serve(t, func(c *httpapi.Config) { c.Auth, c.Rules.Writes = nil, writes })
		s.As(apitest.Anonymous).Want(t, typename, `{"__typename":"Query"}`)
		if code == "" {
			s.As(apitest.Anonymous).Want(t, create, `{"createComment":{"comment":{"rating":5}}}`)
		} else if a := s.As(apitest.Anonymous).WantError(t, create, code, ""); !strings.Contains(a.Errors[0].Message, "knows nobody") {
			t.Errorf("it does not say why: %s", a.Errors[0].Message)
		}
		a := s.As(apitest.Alice).Post(t, typename, nil)
		testkit.Check(t, a.Status == http.StatusUnauthorized, "a token: %d", a.Status)
	}
}

// A page of another origin learns that its token is refused.
func TestTokensAcrossOrigins(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Origins = []string{"https://shop.example"} })
	a := s.Send(t, http.MethodGet, "/graphql?query={__typename}", nil, "Origin", "https://shop.example", "Authorization", "Bearer x")
	testkit.Check(t, a.Status == http.StatusUnauthorized && a.Header.Get("Access-Control-Allow-Origin") == "https://shop.example", "%d, %v", a.Status, a.Header)
}

// Two headers are not one token.
func TestTwoTokens(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "/graphql?query={__typename}", nil)
	token := apitest.Authorization(t, apitest.Alice)[1]
	r.Header["Authorization"] = []string{token, token}
	w := httptest.NewRecorder()
	if handler(t, &empty{}, 0).ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
		t.Errorf("%d", w.Code)
	}
}
