package httpapi_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"product-comments/access"
	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

// asked is a request from an address.
type asked struct {
	method, path, from, body string
	headers                  []string
}

func (a asked) to(h http.Handler) *httptest.ResponseRecorder {
	r := httptest.NewRequest(a.method, a.path, strings.NewReader(a.body))
	r.RemoteAddr = a.from + ":1234"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(a.headers); i += 2 {
		r.Header.Set(a.headers[i], a.headers[i+1])
		if a.headers[i] == "Host" {
			r.Host = a.headers[i+1]
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func post(from, query string, headers ...string) asked {
	return asked{"POST", "/graphql", from, `{"query":"` + strings.ReplaceAll(query, `"`, `\"`) + `"}`, headers}
}

const (
	visitor = "192.0.2.1"
	page    = `{product(id:"42"){comments(first:5){nodes{id}}}}` // costs 36
)

// limited is a handler with limits.
func limited(t *testing.T, limit func(*admission.Limits), change ...func(*httpapi.Config)) http.Handler {
	t.Helper()
	return handler(t, &empty{}, append(change, func(c *httpapi.Config) { limit(&c.Limits) })...)
}

// wantRefusals fails unless these are the reasons of what a handler has refused, sorted.
func wantRefusals(t *testing.T, h http.Handler, want string) {
	t.Helper()
	var reasons []string
	for line := range strings.Lines(get(t, h.(*httpapi.Service).Operators(), "/metrics").Body.String()) {
		if rest, ok := strings.CutPrefix(line, `product_comments_refusals_total{reason="`); ok {
			reason, count, _ := strings.Cut(strings.TrimSpace(rest), `"} `)
			n, _ := strconv.Atoi(count)
			reasons = append(reasons, slices.Repeat([]string{reason}, n)...)
		}
	}
	testkit.Equal(t, strings.Join(reasons, " "), want, "it refused")
}

func TestBudgetOfCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := admission.NewBudget(120, nil)
		h := limited(t, func(of *admission.Limits) { of.CostBudget = l })
		w := post(visitor, page).to(h)
		want := `"charge":7,"budget":{"limit":120,"remaining":113,"restoreRate":2}`
		testkit.Need(t, w.Code == 200 && strings.Contains(w.Body.String(), want), "%d %s, want %s", w.Code, w.Body, want)
		l.Charge(visitor, 110) // as a request does that read so much
		w = post(visitor, page).to(h)
		testkit.Need(t, w.Code == 200, "with less than the page's complexity: %d %s", w.Code, w.Body)
		l.Charge(visitor, 15)
		w = post(visitor, page).to(h)
		if w.Code != 429 || w.Header().Get("Retry-After") != "11" || !strings.Contains(w.Body.String(), `"code":"RATE_LIMITED","limit":120,"reason":"rate_limit","retryAfter":11,"value":-19`) {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		w = post("192.0.2.2", page).to(h)
		testkit.Check(t, w.Code == 200, "another visitor: %d %s", w.Code, w.Body)
		w = post("127.0.0.1", page).to(h)
		testkit.Check(t, w.Code == 200 && !strings.Contains(w.Body.String(), "budget"), "this machine: %d %s", w.Code, w.Body)
		time.Sleep(11 * time.Second)
		w = post(visitor, page).to(h)
		testkit.Check(t, w.Code == 200, "after the time that was said: %d %s", w.Code, w.Body)
		wantRefusals(t, h, "rate_limit")
	})
}

// Mutations and broken documents cost more than they ask for, and what is limited
// everywhere is limited here too.
func TestWhatCostsMore(t *testing.T) {
	for _, c := range []struct {
		name, query, want string
	}{
		{"a mutation is charged ten times its work", `mutation{deleteComment(input:{id:"x"}){deletedId}}`, `"charge":213`}, // 1, 21 × 10, 1 for its resolver, and a part of a unit
		// What the payload queries costs what it reads.
		{"the query in a mutation's payload is charged what it reads", `mutation{deleteComment(input:{id:"x"}){query{product(id:"1"){comments{nodes{id}}}}}}`, `"charge":203`},
		{"a broken document is charged", `{nothing}`, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := admission.NewBudget(1000, func() time.Time { return time.Unix(0, 0) })
			h := limited(t, func(of *admission.Limits) { of.CostBudget, of.Local = l, true })
			w := post("127.0.0.1", c.query).to(h)
			testkit.Check(t, strings.Contains(w.Body.String(), c.want), "%s", w.Body)
			left := l.Peek("127.0.0.1", 0).Remaining
			testkit.Check(t, left <= 979, "%v are left", left)
		})
	}
}

func TestBudgetOfReadUnits(t *testing.T) {
	l := admission.NewBudget(60, func() time.Time { return time.Unix(0, 0) })
	h := limited(t, func(of *admission.Limits) { of.ReadUnitBudget = l })
	w := post(visitor, page).to(h)
	testkit.Check(t, strings.Contains(w.Body.String(), `"readUnitBudget":{"limit":60,"remaining":60,"restoreRate":1}`), "%s", w.Body)
	l.Charge(visitor, 100) // as a request does that read so much
	if w := post(visitor, page).to(h); w.Code != 429 || w.Header().Get("Retry-After") != "41" || !strings.Contains(w.Body.String(), "read units") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	wantRefusals(t, h, "read_units")
}

// A shared answer tells no one what another person has left.
func TestSharedAnswersHaveNoBudget(t *testing.T) {
	h := limited(t, func(of *admission.Limits) { of.CostBudget = admission.NewBudget(1000, nil) })
	w := asked{"GET", listed.path(), visitor, "", nil}.to(h)
	testkit.Check(t, w.Code == 200 && strings.Contains(w.Header().Get("Cache-Control"), "public") && !strings.Contains(w.Body.String(), "budget"), "%d %v %s", w.Code, w.Header(), w.Body)
}

// What runs at once is bounded, and so is who waits; health needs no room.
func TestOverload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		table, letGo := waiting()
		slots := admission.NewPool(2, 2, 2, 100*time.Millisecond)
		h := handler(t, table, func(c *httpapi.Config) {
			c.Limits.Slots = slots
			c.Ready = func(context.Context) error { return nil }
		})
		done := make(chan *httptest.ResponseRecorder, 5)
		ask := func(id string) {
			go func() {
				done <- post(visitor, `{product(id:"`+id+`"){comments(first:5){nodes{id}}}}`).to(h)
			}()
			synctest.Wait()
		}
		for _, id := range []string{"1", "2", "3", "4", "5"} {
			ask(id)
		}
		// The queue is full for the fifth, and the time of the third and fourth ends.
		w := <-done
		again, _ := strconv.Atoi(w.Header().Get("Retry-After"))
		if w.Code != 503 || again < 1 || again > 4 || !strings.Contains(w.Body.String(), fmt.Sprintf(`"code":"UNAVAILABLE","reason":"overload","retryAfter":%d`, again)) {
			t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
		}
		start := time.Now()
		for range 2 {
			w = <-done
			testkit.Check(t, w.Code == 503 && time.Since(start) == 100*time.Millisecond, "after %s: %d %s", time.Since(start), w.Code, w.Body)
		}
		for _, path := range []string{"/healthz", "/readyz", "/"} {
			w := get(t, h, path)
			testkit.Check(t, w.Code == 200, "%s: %d", path, w.Code)
		}
		letGo()
		for range 2 {
			w = <-done
			testkit.Check(t, w.Code == 200, "what ran: %d %s", w.Code, w.Body)
		}
		wantRefusals(t, h, "overload overload overload")
	})
}

func TestMemoryIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memory := admission.NewPool(2<<20, 2<<20, 0, time.Millisecond)
		bodies := admission.NewPool(1<<20, 1<<20, 0, time.Millisecond)
		h := limited(t, func(of *admission.Limits) { of.Answers, of.Bodies = memory, bodies })
		w := post(visitor, page).to(h)
		testkit.Need(t, w.Code == 200, "%d %s", w.Code, w.Body)
		testkit.Equal(t, memory.Used().Taken, 0, "a request that has ended holds")
		var taken []*admission.Hold
		for range 8 { // the rest is too little
			taken = append(taken, testkit.Value(memory.Enter(t.Context(), "", 2<<17-1, false))(t), testkit.Value(bodies.Enter(t.Context(), "", 1<<17-1, false))(t))
		}
		for name, query := range map[string]string{"an answer": page, "a body": page + strings.Repeat(" ", 100<<10)} {
			w := post(visitor, query).to(h)
			testkit.Check(t, w.Code == 503 && strings.Contains(w.Body.String(), `"reason":"memory"`), "%s: %d %s", name, w.Code, w.Body)
		}
		for _, hold := range taken {
			hold.Leave()
		}
		w = post(visitor, page+strings.Repeat(" ", 100<<10)).to(h)
		testkit.Check(t, w.Code == 200, "%d %s", w.Code, w.Body)
		wantRefusals(t, h, "memory memory")
		testkit.Check(t, memory.Used().Taken == 0 && bodies.Used().Taken == 0, "%+v, %+v", memory.Used(), bodies.Used())
	})
}

// A client that fails to authenticate again and again is sent away before anything
// looks at what it brings; others at its address who bring nothing are not.
func TestFailuresAreLimited(t *testing.T) {
	now := time.Unix(0, 0)
	limit := admission.NewBudget(3, func() time.Time { return now })
	limit.Charge(visitor, 3)
	h := limited(t, func(of *admission.Limits) { of.FailureBudget = limit })
	if w := post(visitor, page, "Authorization", "Bearer x").to(h); w.Code != 429 || w.Header().Get("Retry-After") != "20" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	w := post(visitor, page).to(h)
	testkit.Check(t, w.Code == 200, "%d %s", w.Code, w.Body)
	now = now.Add(20 * time.Second)
	w = post(visitor, page, "Authorization", "Bearer x").to(h)
	testkit.Check(t, w.Code != 429, "%d %s", w.Code, w.Body)
	wantRefusals(t, h, "auth_failures token")
	post("192.0.2.77", page).to(h)
	n := limit.Clients()
	testkit.Check(t, n == 1, "%d clients are remembered, of whom one has failed", n)
}

func TestOutside(t *testing.T) {
	proxies := testkit.Value(admission.ParseProxies([]string{"10.0.0.0/8"}))(t)
	outside := func(t *testing.T) http.Handler {
		return limited(t, func(of *admission.Limits) { of.Hosts, of.Proxies = admission.Hosts{Loopback: true}, proxies },
			func(c *httpapi.Config) { c.Origins = []string{"https://shop.example"} })
	}
	whole := "/graphql?query=" + url.QueryEscape(page)
	here := []string{"Host", "localhost:8080"}
	for _, c := range []struct {
		name   string
		asked  asked
		status int
		reason string // "" if it is let in
		want   string // in the body
	}{
		{"a name of this machine is let in", post(visitor, page, here...), 200, "", "data"},
		{"another host name is refused", post(visitor, page, "Host", "evil.example"), 421, "host", "--hosts"},
		{"another host name is refused for the playground", asked{"GET", "/", visitor, "", []string{"Host", "evil.example"}}, 421, "host", "--hosts"},
		{"the refusal of an address of the network says what to set", post(visitor, page, "Host", "192.168.1.20:8080"), 421, "host", "start it with --hosts 192.168.1.20, and for a phone or another machine of your network also with --addr 0.0.0.0:8080"},
		{"so is one of version 6", post(visitor, page, "Host", "[FD00::20]:8080"), 421, "host", "--hosts fd00::20, and"},
		{"a name that a shell reads differently is not repeated", post(visitor, page, "Host", "x;$(id)"), 421, "host", "--hosts shop.example, and"},
		{"nor is one that is read as a flag", post(visitor, page, "Host", "-x"), 421, "host", "--hosts shop.example, and"},
		{"nor is a longer one than there are", post(visitor, page, "Host", strings.Repeat("x", 254)), 421, "host", "--hosts shop.example, and"},
		{"any host name may ask for health", asked{"GET", "/healthz", visitor, "", []string{"Host", "10.1.2.3"}}, 200, "", "ok"},
		{"a long URL is refused", asked{"GET", "/graphql?" + strings.Repeat("x", 8<<10), visitor, "", here}, 414, "url", "has 8201 bytes, the limit is 8192"},
		{"a query by GET from a page of another site is refused", asked{"GET", whole, visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "cross-site")}, 400, "csrf", "POST"},
		{"a query by GET from a page of the same site is refused", asked{"GET", whole, visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "same-site", "Origin", "https://other.example")}, 400, "csrf", "POST"},
		{"a parameter spelled with an escape is refused, too", asked{"GET", strings.Replace(whole, "query", "%71uery", 1), visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "cross-site")}, 400, "csrf", "POST"},
		{"a query by GET from curl is answered", asked{"GET", whole, visitor, "", append(here, "Content-Type", "")}, 200, "", "data"},
		{"a query by GET that was typed as an address is answered", asked{"GET", whole, visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "none")}, 200, "", "data"},
		{"a query by GET from this origin is answered", asked{"GET", whole, visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "same-origin")}, 200, "", "data"},
		{"a query by GET from an allowed origin is answered", asked{"GET", whole, visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "cross-site", "Origin", "https://shop.example")}, 200, "", "data"},
		{"a hash by GET is answered for any site", asked{"GET", listed.path(), visitor, "", append(here, "Content-Type", "", "Sec-Fetch-Site", "cross-site")}, 200, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := outside(t)
			w := c.asked.to(h)
			if wantRefusals(t, h, c.reason); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("%d, %s", w.Code, w.Body)
			}
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
				"Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "",
			} {
				testkit.Equal(t, w.Header().Get(name), want, "%s", name)
			}
			testkit.Check(t, strings.Contains(w.Header().Get("Content-Security-Policy"), "frame-ancestors 'none'"), "it may be shown in a frame")
		})
	}
	if w := post("10.1.2.3", page, append(here, "X-Forwarded-For", visitor, "X-Forwarded-Proto", "https")...).to(outside(t)); w.Header().Get("Strict-Transport-Security") == "" {
		t.Errorf("behind a proxy with TLS: %v", w.Header())
	}
}

// Every path has a budget, except for health, and the log repeats little of what anyone may
// send.
func TestPathsHaveABudget(t *testing.T) {
	var text bytes.Buffer
	debug := slog.HandlerOptions{Level: slog.LevelDebug}
	log := func(c *httpapi.Config) {
		c.Log = slog.New(slog.NewTextHandler(&text, &debug))
		c.Ready = func(context.Context) error { return nil }
	}
	h := limited(t, func(of *admission.Limits) {
		of.CostBudget, of.Local, of.Hosts = frozen(5), true, admission.Hosts{Loopback: true}
	}, log)
	long := "/" + strings.Repeat("x", 3000)
	ask := func(method, path, host, from string) int {
		return asked{method, path, from, "", []string{"Host", host, "Sec-Fetch-Site", "none"}}.to(h).Code
	}
	for i, path := range []string{long, "/", "/schema.graphql", "/playground/nothing", "/graphql", long, "/", "/schema.graphql", "/graphql"} {
		code := ask("GET", path, "localhost", visitor)
		testkit.Check(t, (code == http.StatusTooManyRequests) == (i >= 5), "request %d, %.20s: %d", i, path, code)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		code := ask("GET", path, "localhost", visitor)
		testkit.Check(t, code == http.StatusOK, "%s without a budget: %d", path, code)
	}
	for _, c := range []struct {
		method, path, host string
		code               int
	}{
		{"GET", long, "localhost", 404}, {"GET", long, "evil.example", 421}, {"GET", long + long + long, "localhost", 414}, {"OPTIONS", "/graphql", "localhost", 405},
	} {
		text.Reset()
		code := ask(c.method, c.path, c.host, "192.0.2.50")
		testkit.Check(t, code == c.code && strings.Contains(text.String(), "level=DEBUG"), "%.20s: %d, logged %s", c.path, code, &text)
		testkit.Check(t, text.Len() <= 500, "%.20s: logged %d bytes", c.path, text.Len())
	}
	text.Reset()
	ask("GET", "/schema.graphql?"+long, "localhost", "192.0.2.51")
	testkit.Check(t, strings.Contains(text.String(), "level=INFO") && text.Len() <= 500, "what is served: %s", &text)
}

// A server without a playground says why, if it is because it runs only what it knows.
func TestNoPlayground(t *testing.T) {
	switchedOff := handler(t, &empty{}, func(c *httpapi.Config) { c.NoPlayground = true })
	known := handler(t, &empty{}, func(c *httpapi.Config) { c.ManifestOnly = true })
	for _, c := range []struct {
		h          http.Handler
		path, want string
	}{
		{switchedOff, "/", ""}, {known, "/", "only the operations of its manifest"}, {known, "/playground/playground.js", ""}, {known, "/nothing", ""},
	} {
		w := get(t, c.h, c.path)
		testkit.Check(t, w.Code == 404 && strings.Contains(w.Body.String(), c.want) && !strings.Contains(w.Body.String(), "<script"), "%s: %d %s", c.path, w.Code, w.Body)
	}
}

// The playground of the demo hands out its tokens to this machine alone: what a proxy
// forwards may come from another.
func TestDemoTokensDoNotPassProxies(t *testing.T) {
	h := handler(t, &empty{}, func(c *httpapi.Config) {
		c.PlaygroundTokens = map[access.Role]string{access.Author: "an-authors", access.Moderator: "a-moderators", access.Service: "a-services"}
	})
	for _, c := range []struct {
		headers []string
		tokens  bool
	}{
		{nil, true},
		{[]string{"Origin", "http://localhost:8080"}, true},
		{[]string{"X-Forwarded-For", "203.0.113.1"}, false},
		{[]string{"X-Forwarded-For", ""}, false},
		{[]string{"Forwarded", "for=203.0.113.1"}, false},
		{[]string{"X-Real-IP", "203.0.113.1"}, false},
		{[]string{"Via", "1.1 proxy"}, false},
	} {
		w := asked{"GET", "/", "127.0.0.1", "", c.headers}.to(h)
		for _, token := range []string{"an-authors", "a-moderators", "a-services"} {
			testkit.Check(t, w.Code == 200 && strings.Contains(w.Body.String(), token) == c.tokens, "%q: %d, wanted tokens: %t, %s", c.headers, w.Code, c.tokens, token)
		}
	}
}
