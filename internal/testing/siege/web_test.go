//go:build linux

package siege

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/testkit"
)

// Operators' paths are not the public's, and every path tells browsers not to guess what
// an answer is.
func TestOperatorsPathsAreNotPublic(t *testing.T) {
	s := attacked(t)
	operators := []string{"/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/cmdline", "/readyz?verbose", "/readyz?verbose=1", "//metrics", "/./metrics", "/graphql/../metrics", "/%6detrics"}
	public := []string{"/", "/graphql", "/graphql?query=%7B__typename%7D", "/healthz", "/readyz", "/nothing", "/assets/none.js", "/%2e%2e/etc"}
	for i, path := range append(operators, public...) {
		a := testkit.Value(s.send(request{method: http.MethodGet, path: path}, 5*time.Second))(t)
		testkit.Check(t, i >= len(operators) || a.status != 200 || bytes.Contains(a.start, []byte("<!doctype html>")) || len(bytes.TrimSpace(a.start)) <= 20, "%s: %.200s", path, a.start)
		testkit.Equal(t, a.header.Get("X-Content-Type-Options"), "nosniff", "%s: %d without nosniff", path, a.status)
	}
}

// raw bytes over a connection of their own; what comes back until it is closed, or patience ends.
func (s *server) dial(t *testing.T, text string) string {
	t.Helper()
	c := testkit.Value(net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), 5*time.Second))(t)
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	if _, err := c.Write([]byte(text)); err != nil {
		return ""
	}
	var b bytes.Buffer
	_, _ = b.ReadFrom(bufio.NewReader(c))
	return b.String()
}

// Two servers in a row never disagree where a request ends: what could be read in two
// ways is refused, and never read as two requests.
func TestRequestsAreNotSmuggled(t *testing.T) {
	s := attacked(t)
	host := strings.TrimPrefix(s.url, "http://")
	const inner = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
	head := "POST /graphql HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\n"
	for name, text := range map[string]string{
		"length and chunks":             head + fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 5+len(inner)) + inner,
		"two lengths":                   head + fmt.Sprintf("Content-Length: 0\r\nContent-Length: %d\r\n\r\n", len(inner)) + inner,
		"a length with a sign":          head + fmt.Sprintf("Content-Length: +%d\r\n\r\n", len(inner)) + inner,
		"a space before the colon":      head + "Content-Length : 0\r\n\r\n" + inner,
		"chunks that are not":           head + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + inner,
		"chunks twice":                  head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + inner,
		"a chunk's size in another way": head + "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n" + inner,
		"a chunk without its end":       head + "Transfer-Encoding: chunked\r\n\r\n1\r\nAB\r\n0\r\n\r\n" + inner,
		"two hosts":                     "GET /smuggled HTTP/1.1\r\nHost: " + host + "\r\nHost: evil.example\r\n\r\n",
		"no host":                       "GET /smuggled HTTP/1.1\r\n\r\n",
		"a header with a zero":          head + "X: a\x00b\r\nContent-Length: 0\r\n\r\n",
	} {
		got := s.dial(t, text)
		// One answer, which is a refusal, and the connection ends with it: no one reads
		// on where the request may have ended.
		refused := strings.HasPrefix(got, "HTTP/1.1 4") || strings.HasPrefix(got, "HTTP/1.1 501")
		testkit.Check(t, strings.Count(got, "HTTP/1.1 ") == 1 && refused, "%s: %q", name, got)
	}
}

// Answers that caches share do not depend on anything that is not in their name.
func TestCachesAreNotPoisoned(t *testing.T) {
	s := begin(t, "--cache-max-age=5s")
	const document = `{product(id:"42"){comments(first:1){nodes{commentId}}}}`
	extensions := fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":"%x"}}`, sha256.Sum256([]byte(document)))
	if a, err := s.send(raw("application/json", fmt.Appendf(nil, `{"query":%q,"extensions":%s}`, document, extensions)), 5*time.Second); err != nil || a.code() != "" {
		t.Fatalf("%v %s", err, a.start)
	}
	named := request{http.MethodGet, "/graphql?extensions=" + url.QueryEscape(extensions), nil, http.Header{}}
	good, err := s.send(named, 5*time.Second)
	testkit.Need(t, err == nil && good.status == 200 && strings.Contains(good.header.Get("Cache-Control"), "public"), "%v %d %v %s", err, good.status, good.header, good.start)
	host := strings.TrimPrefix(s.url, "http://")
	for _, header := range [][2]string{
		{"X-Forwarded-Host", "evil.example"}, {"X-Forwarded-Proto", "gopher"}, {"X-Original-URL", "/metrics"}, {"X-Rewrite-URL", "/metrics"},
		{"X-HTTP-Method-Override", "POST"}, {"Accept", "text/evil"}, {"Accept-Language", "xx"}, {"Origin", "https://evil.example"},
		{"X-Request-Id", "evil"}, {"Cookie", "a=b"}, {"Forwarded", "host=evil.example"}, {"Range", "bytes=0-1"}, {"Host", host},
	} {
		poisoned := testkit.Value(s.send(named.with(header[0], header[1]), 5*time.Second))(t)
		if poisoned.status == 200 && !bytes.Equal(poisoned.start, good.start) || bytes.Contains(poisoned.start, []byte("evil")) {
			t.Errorf("%v changes the answer: %d %s", header, poisoned.status, poisoned.start)
		}
		after, err := s.send(named, 5*time.Second)
		testkit.Check(t, err == nil && after.status == 200 && bytes.Equal(after.start, good.start), "after %v another visitor gets %v %d %s", header, err, after.status, after.start)
	}
	// A refusal is not kept, and what has a body is another request.
	for _, r := range []request{
		{http.MethodGet, named.path + "&variables=%5B1", nil, http.Header{}},
		{http.MethodGet, named.path, []byte(`{"query":"{__typename}"}`), http.Header{"Content-Type": {"application/json"}}},
		{http.MethodGet, named.path + "&query=%7B__typename%7D", nil, http.Header{}},
	} {
		a := testkit.Value(s.send(r, 5*time.Second))(t)
		testkit.Check(t, a.status < 400 || !strings.Contains(a.header.Get("Cache-Control"), "public"), "a refusal may be kept: %v", a.header)
		after, err := s.send(named, 5*time.Second)
		testkit.Check(t, err == nil && bytes.Equal(after.start, good.start), "after %s another visitor gets %v %s", r.path, err, after.start)
	}
}

// Clients that go away leave no warnings, one each, in the log.
func TestClientsThatLeaveAreNotWarnedOf(t *testing.T) {
	s := attacked(t)
	before := len(s.log.String())
	host := strings.TrimPrefix(s.url, "http://")
	body := fmt.Sprintf(`{"query":%q}`, httpapi.Example("newest-comments"))
	for range 100 {
		c := testkit.Value(net.Dial("tcp", host))(t)
		fmt.Fprintf(c, "POST /graphql HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", host, len(body), body)
		if err := c.(*net.TCPConn).SetLinger(0); err != nil { // a reset, not an end
			t.Fatal(err)
		}
		c.Close()
	}
	a, err := s.send(query(httpapi.Example("newest-comments")), 10*time.Second)
	testkit.Need(t, err == nil && a.status == 200, "%v %d", err, a.status)
	if warned := strings.Count(s.log.String()[before:], "level=WARN") + strings.Count(s.log.String()[before:], "level=ERROR"); warned > 5 {
		t.Errorf("%d warnings of 100 clients:\n%.1000s", warned, s.log.String()[before:])
	}
}

// hardened are the flags of a shop that only lets its own front end in: no one needs
// to look around.
var hardened = []string{"--no-introspection", "--no-playground"}

// The thirteen checks of graphql-cop, and what is answered to each, as the service is
// by default and hardened. A limit is not a hole: where a check wants one feature to
// be off that is safe when it is bounded, the bound is what is tested.
func TestGraphQLCop(t *testing.T) {
	usual, strict := attacked(t), begin(t, hardened...)
	const ok = "" // answered
	create := `mutation{createComment(input:{productId:"cop",rating:1,language:"en"}){comment{id}}}`
	form := raw("application/x-www-form-urlencoded", []byte("query="+url.QueryEscape("{__typename}")))
	batch := raw("application/json", []byte("["+strings.Repeat(`{"query":"{__typename}"},`, 9)+`{"query":"{__typename}"}]`))
	circular := query(`{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`)
	const any = "any" // code
	for _, c := range []struct {
		check         string
		request       request
		usual, strict string // code; "" is an answer
		saysNot       string // what the answer must not contain
		saysNotEither string // hardened
	}{
		{"alias overloading", query("{" + repeated("__typename", 500) + "}"), "BAD_USER_INPUT", "BAD_USER_INPUT", `"a499"`, ""},
		{"array-based query batching", batch, "BAD_USER_INPUT", "BAD_USER_INPUT", `"data"`, ""},
		{"directive overloading", query("{__typename" + strings.Repeat("@aa", 50) + "}"), any, any, `"data"`, ""},
		{"circular query by introspection", circular, any, any, `"data"`, ""},
		{"introspection", query(`{__schema{queryType{name}}}`), ok, any, "", `"queryType"`},
		{"field suggestions", query(`{produkt(id:"42"){id}}`), "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_VALIDATION_FAILED", "", "Did you mean"},
		{"GET requests", link(`{__typename}`).with("Sec-Fetch-Site", "cross-site"), any, any, `"data"`, ""},
		{"a mutation by GET", link(create), any, any, `"data":{`, ""},
		{"a form (CSRF)", form, "BAD_USER_INPUT", "BAD_USER_INPUT", `"data"`, ""},
		{"tracing", query(`{__typename}`), ok, ok, `"tracing"`, ""},
		{"an error that is not handled", query(`qwerty cop { abc }`), "GRAPHQL_PARSE_FAILED", "GRAPHQL_PARSE_FAILED", "goroutine", ""},
		{"field duplication", query("query cop {" + strings.Repeat("__typename ", 500) + "}"), "BAD_USER_INPUT", "BAD_USER_INPUT", `"data":{`, ""},
	} {
		for name, s := range map[string]*server{"usual": usual, "hardened": strict} {
			a := testkit.Value(s.send(c.request, 5*time.Second))(t)
			want := c.usual
			if s == strict {
				want = c.strict
			}
			got := a.code()
			testkit.Check(t, got == want || want == any && got != ok && got != "INTERNAL", "%s, %s: %d %q, want %q: %.300s", c.check, name, a.status, got, want, a.start)
			for _, text := range []string{c.saysNot, c.saysNotEither} {
				testkit.Check(t, text == "" || !bytes.Contains(a.start, []byte(text)) || s != strict && text != c.saysNot, "%s, %s: %.300s", c.check, name, a.start)
			}
		}
	}
	// The thirteenth: the playground.
	for s, want := range map[*server]bool{usual: true, strict: false} {
		a := testkit.Value(s.send(request{http.MethodGet, "/", nil, http.Header{"Accept": {"text/html"}}}, 5*time.Second))(t)
		testkit.Equal(t, a.status == 200, want, "whether there is a playground: %d", a.status)
	}
}
