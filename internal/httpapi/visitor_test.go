package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/gate"
	"product-comments/internal/httpapi"
	visitors "product-comments/internal/visitor"
)

// anonymousVotes lets visitors without a token vote.
func anonymousVotes(c *httpapi.Config) { c.Visitors = visitors.New(make([]byte, 32)) }

const voted = `mutation{voteHelpful(input:{commentId:"c000",vote:%s}){comment{helpfulCount unhelpfulCount viewerVote}}}`

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
	if got := string(a.Data); got != `{"voteHelpful":{"comment":`+want+`}}` {
		t.Errorf("%s %+v, want %s", got, a.Errors, want)
	}
}

func TestAnonymousVotes(t *testing.T) {
	s := serve(t, anonymousVotes, cached(1<<20))
	s.Fill(t, apitest.Comments(1)...)
	a, cookie := voteAs(t, s, "HELPFUL")
	wantVote(t, a, `{"helpfulCount":1,"unhelpfulCount":0,"viewerVote":"HELPFUL"}`)
	if cookie == nil || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode || cookie.Secure || cookie.MaxAge < 86400 || a.Header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%+v of %v", cookie, a.Header)
	}
	again := []string{"Cookie", cookie.Name + "=" + cookie.Value}
	a, renewed := voteAs(t, s, "UNHELPFUL", again...)
	wantVote(t, a, `{"helpfulCount":0,"unhelpfulCount":1,"viewerVote":"UNHELPFUL"}`)
	if renewed == nil || renewed.Value != cookie.Value {
		t.Errorf("the visitor is another one: %+v", renewed)
	}
	a, other := voteAs(t, s, "HELPFUL", "Cookie", cookie.Name+"="+cookie.Value+"x")
	wantVote(t, a, `{"helpfulCount":1,"unhelpfulCount":1,"viewerVote":"HELPFUL"}`)
	if other == nil || other.Value == cookie.Value {
		t.Errorf("a forged cookie is the visitor's: %+v", other)
	}
	// A token says who somebody is, whatever cookie comes with it.
	a, none := voteAs(t, s, "HELPFUL", append(apitest.Authorization(t, apitest.Alice), again...)...)
	wantVote(t, a, `{"helpfulCount":2,"unhelpfulCount":1,"viewerVote":"HELPFUL"}`)
	if none != nil {
		t.Errorf("Alice got %+v", none)
	}
	// What they read is theirs, and is kept for nobody.
	read := func(headers ...string) apitest.Answer {
		return s.Send(t, http.MethodPost, "/graphql", []byte(`{"query":"{comment(id:\"c000\"){viewerVote}}"}`), append(headers, "Content-Type", "application/json")...)
	}
	if a := read(again...); string(a.Data) != `{"comment":{"viewerVote":"UNHELPFUL"}}` || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("%s, %v", a.Data, a.Header)
	}
	if a := read(); string(a.Data) != `{"comment":{"viewerVote":null}}` || a.Header.Get("Set-Cookie") != "" {
		t.Errorf("%s, %v", a.Data, a.Header)
	}
	if a := s.ask(t, http.MethodGet, listed, again...); a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("an answer to a visitor may be cached: %v", a.Header)
	}
	if a := s.As(apitest.Anonymous).Post(t, create, nil); len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAUTHENTICATED" {
		t.Errorf("an anonymous visitor creates: %+v", a.Errors)
	}
}

func TestAnonymousVotesAreOffByDefault(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(1)...)
	a, cookie := voteAs(t, s, "HELPFUL", "Cookie", visitors.New(make([]byte, 32)).Cookie(visitors.NewID(), false).String())
	if len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || cookie != nil {
		t.Errorf("%s %+v, %+v", a.Data, a.Errors, cookie)
	}
}

// No page of another origin votes in the name of a visitor, nor as one without end.
func TestAnonymousVotesOfOtherPages(t *testing.T) {
	s := serve(t, anonymousVotes, func(c *httpapi.Config) { c.Origins = gate.Origins{"https://shop.example"} })
	s.Fill(t, apitest.Comments(1)...)
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example"}, {"Sec-Fetch-Site", "same-site", "Origin", "https://other.example"},
		{"Origin", "https://shop.example"}, {"Origin", "null"},
	} {
		if a, cookie := voteAs(t, s, "HELPFUL", headers...); len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != "UNAUTHENTICATED" || cookie != nil {
			t.Errorf("%q: %s %+v, %+v", headers, a.Data, a.Errors, cookie)
		}
	}
	for i, headers := range [][]string{{"Sec-Fetch-Site", "same-origin", "Origin", s.URL}, {"Origin", s.URL}, nil, {"Sec-Fetch-Site", "same-site", "Origin", "https://shop.example"}} {
		if a, cookie := voteAs(t, s, "HELPFUL", headers...); len(a.Errors) > 0 || cookie == nil || a.At(t, "voteHelpful", "comment", "helpfulCount") != float64(i+1) {
			t.Errorf("%q: %s %+v, %+v", headers, a.Data, a.Errors, cookie)
		}
	}
	a, _ := voteAs(t, s, "HELPFUL", append(apitest.Authorization(t, apitest.Alice), "Sec-Fetch-Site", "same-site", "Origin", "https://shop.example")...)
	if len(a.Errors) > 0 {
		t.Errorf("with a token: %+v", a.Errors)
	}
	form := s.Send(t, http.MethodPost, "/graphql", []byte("query="+strings.ReplaceAll(voted, "%s", "HELPFUL")), "Content-Type", "application/x-www-form-urlencoded")
	if len(form.Data) > 0 || form.Header.Get("Set-Cookie") != "" {
		t.Errorf("a form: %d %s", form.Status, form.Data)
	}
}

// Whoever leaves the cookie away to vote again soon has nothing left to vote with.
func TestNewVisitorsAreDear(t *testing.T) {
	const perMinute = 60_000
	h := func(votes int, withCookie bool) (counted int) {
		s := serve(t, anonymousVotes, func(c *httpapi.Config) {
			c.Gate.Cost = httpapi.Budget{Limiter: gate.NewLimiter(perMinute, nil), Local: true}
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
	if n := h(60, false); n < 10 || n > 20 {
		t.Errorf("%d new visitors voted in a minute from one address", n)
	}
	if n := h(60, true); n != 60 {
		t.Errorf("a visitor voted %d times", n)
	}
}

// Behind TLS the cookie is for TLS alone.
func TestTheCookieBehindTLS(t *testing.T) {
	s := serve(t)
	s.Fill(t, apitest.Comments(1)...)
	proxies, err := gate.ParseProxies([]string{"127.0.0.1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	h := handler(t, nil, 0, anonymousVotes, func(c *httpapi.Config) { c.Store, c.Gate.Proxies = s.Store, proxies })
	w := post("127.0.0.1", fmt.Sprintf(voted, "HELPFUL"), "X-Forwarded-For", "192.0.2.1", "X-Forwarded-Proto", "https").to(h)
	given := w.Result().Cookies()
	if len(given) != 1 || !given[0].Secure {
		t.Errorf("%d %s: %+v", w.Code, w.Body, given)
	}
}
