package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/auth"
	"product-comments/internal/server/httpapi"
	visitors "product-comments/internal/server/visitor"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

const create = `mutation{createComment(input:{productId:"42",rating:5,language:"en"}){comment{rating}}}`

// A token that is not valid refuses the whole request, also one that needs none,
// also one that a cache could answer, and it leaves no trace in the log.
func TestAnInvalidTokenRefusesTheRequest(t *testing.T) {
	s := serve(t, cached)
	s.Fill(t, apitest.Comments(1)...)
	const secret = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJtYWxsb3J5In0."
	a := s.ask(t, http.MethodGet, listed)
	testkit.Need(t, a.Status == http.StatusOK, "%d %+v", a.Status, a.Errors)
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
	testkit.Check(t, a.Status == http.StatusOK && a.Errors[0].Message == "Sign in to write.", "%d: %s", a.Status, a.Errors[0].Message)
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
// no one can tell whose it is.
func TestWithoutAuthentication(t *testing.T) {
	for writes, code := range map[access.Writes]string{access.ByEveryone: "", access.ByNone: "FORBIDDEN"} {
		s := serve(t, func(c *httpapi.Config) { c.Auth, c.Rules.Writes = nil, writes })
		s.As(apitest.Anonymous).Want(t, typename, `{"__typename":"Query"}`)
		if code == "" {
			s.As(apitest.Anonymous).Want(t, create, `{"createComment":{"comment":{"rating":5}}}`)
		} else if a := s.As(apitest.Anonymous).WantError(t, create, code, ""); !strings.Contains(a.Errors[0].Message, "has no authentication") {
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
	if handler(t, &empty{}).ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
		t.Errorf("%d", w.Code)
	}
}

// anonymousVotes lets visitors without a token vote.
func anonymousVotes(c *httpapi.Config) { c.Visitors = visitors.New(make([]byte, 32)) }

const voted = `mutation{voteHelpful(input:{id:"c000",vote:%s}){comment{helpfulCount unhelpfulCount viewerVote}}}`

// voteAs sends a vote, with headers, and returns the answer with what it gave to browsers.
func voteAs(t *testing.T, s *service, vote string, headers ...string) (apitest.Answer, *http.Cookie) {
	t.Helper()
	body := `{"query":"` + strings.ReplaceAll(fmt.Sprintf(voted, vote), `"`, `\"`) + `"}`
	a := s.Send(t, http.MethodPost, "/graphql", []byte(body), append([]string{"Content-Type", "application/json"}, headers...)...)
	given := (&http.Response{Header: a.Header}).Cookies()
	if len(given) == 0 {
		return a, nil
	}
	return a, given[0]
}

func wantVote(t *testing.T, a apitest.Answer, want string) {
	t.Helper()
	got := string(a.Data)
	testkit.Check(t, got == `{"voteHelpful":{"comment":`+want+`}}`, "%s %+v, want %s", got, a.Errors, want)
}

func TestAnonymousVotes(t *testing.T) {
	s := serve(t, anonymousVotes, cached)
	s.Fill(t, apitest.Comments(1)...)
	a, cookie := voteAs(t, s, "HELPFUL")
	wantVote(t, a, `{"helpfulCount":1,"unhelpfulCount":0,"viewerVote":"HELPFUL"}`)
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure || cookie.MaxAge < 86400 || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%+v of %v", cookie, a.Header)
	}
	again := []string{"Cookie", cookie.Name + "=" + cookie.Value}
	a, renewed := voteAs(t, s, "UNHELPFUL", again...)
	wantVote(t, a, `{"helpfulCount":0,"unhelpfulCount":1,"viewerVote":"UNHELPFUL"}`)
	testkit.Check(t, renewed != nil && renewed.Value == cookie.Value, "the visitor is another one: %+v", renewed)
	a, other := voteAs(t, s, "HELPFUL", "Cookie", cookie.Name+"="+cookie.Value+"x")
	wantVote(t, a, `{"helpfulCount":1,"unhelpfulCount":1,"viewerVote":"HELPFUL"}`)
	testkit.Check(t, other != nil && other.Value != cookie.Value, "a forged cookie is the visitor's: %+v", other)
	// A token says who someone is, whatever cookie comes with it.
	a, none := voteAs(t, s, "HELPFUL", append(apitest.Authorization(t, apitest.Alice), again...)...)
	wantVote(t, a, `{"helpfulCount":2,"unhelpfulCount":1,"viewerVote":"HELPFUL"}`)
	testkit.Check(t, none == nil, "Alice got %+v", none)
	// What they read is theirs, and is kept for no one.
	read := func(headers ...string) apitest.Answer {
		return s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"{comment(id:\"c000\"){viewerVote}}"}`), append(headers, "Content-Type", "application/json")...)
	}
	a = read(again...)
	testkit.Check(t, string(a.Data) == `{"comment":{"viewerVote":"UNHELPFUL"}}` && a.Header.Get("Set-Cookie") == "", "%s, %v", a.Data, a.Header)
	a = read()
	testkit.Check(t, string(a.Data) == `{"comment":{"viewerVote":null}}` && a.Header.Get("Set-Cookie") == "", "%s, %v", a.Data, a.Header)
	a = s.ask(t, http.MethodGet, listed, again...)
	testkit.Check(t, a.Header.Get("Cache-Control") == "no-store", "an answer to a visitor may be cached: %v", a.Header)
	a = s.As(apitest.Anonymous).Post(t, create, nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "UNAUTHENTICATED", "an anonymous visitor creates: %+v", a.Errors)
}

func TestAnonymousVotesAreOffByDefault(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(1)...)
	a, cookie := voteAs(t, s, "HELPFUL", "Cookie", visitors.New(make([]byte, 32)).Cookie(visitors.NewID(), false).String())
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "UNAUTHENTICATED" && cookie == nil, "%s %+v, %+v", a.Data, a.Errors, cookie)
}

// No page of another origin votes in the name of a visitor, nor as one without end.
func TestAnonymousVotesOfOtherPages(t *testing.T) {
	s := serve(t, anonymousVotes, func(c *httpapi.Config) { c.Origins = []string{"https://shop.example"} })
	s.Fill(t, apitest.Comments(1)...)
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"}, {"Sec-Fetch-Site", "same-site", "Origin", "https://other.example"},
		{"Origin", "https://shop.example"}, {"Origin", "null"},
	} {
		a, cookie := voteAs(t, s, "HELPFUL", headers...)
		testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "UNAUTHENTICATED" && cookie == nil, "%q: %s %+v, %+v", headers, a.Data, a.Errors, cookie)
	}
	for i, headers := range [][]string{{"Sec-Fetch-Site", "same-origin", "Origin", s.URL}, {"Origin", s.URL}, nil, {"Sec-Fetch-Site", "same-site", "Origin", "https://shop.example"}} {
		a, cookie := voteAs(t, s, "HELPFUL", headers...)
		testkit.Check(t, len(a.Errors) == 0 && cookie != nil && a.At(t, "voteHelpful", "comment", "helpfulCount") == float64(i+1), "%q: %s %+v, %+v", headers, a.Data, a.Errors, cookie)
	}
	a, _ := voteAs(t, s, "HELPFUL", append(apitest.Authorization(t, apitest.Alice), "Sec-Fetch-Site", "same-site", "Origin", "https://shop.example")...)
	testkit.Check(t, len(a.Errors) == 0, "with a token: %+v", a.Errors)
	form := s.Send(t, http.MethodPost, "/graphql", []byte("query="+strings.ReplaceAll(voted, "%s", "HELPFUL")), "Content-Type", "application/x-www-form-urlencoded")
	testkit.Check(t, len(form.Data) == 0 && form.Header.Get("Set-Cookie") == "", "a form: %d %s", form.Status, form.Data)
}

// A client that leaves the cookie away to vote again soon has nothing left to vote with.
func TestNewVisitorsAreDear(t *testing.T) {
	const perMinute = 60_000
	h := func(votes int, withCookie bool) (counted int) {
		s := serve(t, anonymousVotes, func(c *httpapi.Config) {
			c.Limits.CostBudget, c.Limits.Local = admission.NewBudget(perMinute, nil), true
		})
		s.Fill(t, apitest.Comments(1)...)
		var headers []string
		for range votes {
			a, cookie := voteAs(t, s, "HELPFUL", headers...)
			if a.Status == http.StatusTooManyRequests {
				return counted
			}
			counted++
			if withCookie && cookie != nil {
				headers = []string{"Cookie", cookie.Name + "=" + cookie.Value}
			}
		}
		return counted
	}
	n := h(60, false)
	testkit.Check(t, n >= 10 && n <= 20, "%d new visitors voted in a minute from one address", n)
	n = h(60, true)
	testkit.Check(t, n == 60, "a visitor voted %d times", n)
}

// Behind TLS the cookie is for TLS alone.
func TestTheCookieBehindTLS(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(1)...)
	proxies := testkit.Value(admission.ParseProxies([]string{"127.0.0.1"}))(t)
	h := handler(t, nil, anonymousVotes, func(c *httpapi.Config) { c.Store, c.Limits.Proxies = s.Store, proxies })
	w := post("127.0.0.1", fmt.Sprintf(voted, "HELPFUL"), "X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https").to(h)
	given := w.Result().Cookies()
	testkit.Check(t, len(given) == 1 && given[0].Secure, "%d %s: %+v", w.Code, w.Body, given)
}
