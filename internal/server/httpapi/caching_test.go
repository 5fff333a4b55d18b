package httpapi_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// list is a document for a page of product $id, which front ends name by its hash.
const list = `query List($id:ID!,$first:Int){product(id:$id){comments(first:$first){nodes{commentId text}}}}`

var listed = persisted{hash: hashOf(list), variables: `{"id":"42","first":2}`}

// cached configures caching headers, and the document list in the manifest.
func cached(c *httpapi.Config) {
	c.Manifest = httpapi.Manifest{hashOf(list): list}
	c.CacheMaxAge = 5 * time.Second
}

const public = "public, max-age=5, stale-while-revalidate=5"

func TestCachingHeaders(t *testing.T) {
	s := serve(t, cached)
	s.Fill(t, apitest.Comments(3)...)
	const mutation = `mutation{deleteComment(input:{id:"none"}){deletedId}}`
	mutated := persisted{hash: hashOf(mutation), query: mutation}
	s.ask(t, http.MethodPost, mutated)
	mutated.query = ""
	withQuery, unknown, wrong := listed, listed, listed
	withQuery.query, unknown.hash, wrong.variables = list, hashOf("x"), `{"id":"42","first":-1}`
	for _, c := range []struct {
		name, method string
		p            persisted
		headers      []string
		status       int
		want         string
	}{
		{"an answer to GET by hash may be cached", "GET", listed, nil, 200, public},
		{"the same request may be cached again", "GET", listed, nil, 200, public},
		{"an answer of the new media type may be cached", "GET", listed, []string{"Accept", "application/graphql-response+json"}, 200, public},
		{"an answer to POST is not cached", "POST", listed, nil, 200, "no-store"},
		{"an answer to GET with hash and query is not cached", "GET", withQuery, nil, 200, "no-store"},
		{"an answer to a request with a token is not cached", "GET", listed, apitest.Authorization(t, apitest.Alice), 200, "no-store"},
		{"an answer to a request with a cookie is not cached", "GET", listed, []string{"Cookie", "a=b"}, 200, "no-store"},
		{"the answer to an unknown hash is not cached", "GET", unknown, nil, 200, "no-store"},
		{"an answer with an error is not cached", "GET", wrong, nil, 200, "no-store"},
		{"a mutation is not cached", "GET", mutated, nil, 405, "no-store"},
		{"another method is not cached", "PUT", listed, nil, 405, "no-store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.ask(t, c.method, c.p, c.headers...)
			testkit.Check(t, a.Status == c.status && a.Header.Get("Cache-Control") == c.want && (a.Header.Get("ETag") != "") == (c.want == public), "%d, %v", a.Status, a.Header)
			wantVary(t, a, "Accept", "Accept-Encoding", "Authorization", "Cookie")
		})
	}
	plain := s.Send(t, "GET", "/graphql?query="+url.QueryEscape(`{product(id:"42"){id}}`), nil)
	testkit.Check(t, plain.Header.Get("Cache-Control") == "no-store" && plain.Header.Get("ETag") == "", "GET without a hash: %v", plain.Header)
}

// wantVary fails unless an answer varies by exactly these headers, each named once.
func wantVary(t testing.TB, a apitest.Answer, names ...string) {
	t.Helper()
	var got []string
	for name := range strings.SplitSeq(strings.Join(a.Header.Values("Vary"), ","), ",") {
		got = append(got, strings.TrimSpace(name))
	}
	slices.Sort(got)
	testkit.Check(t, slices.Equal(got, names), "Vary is %v, not %v", got, names)
}

func TestNoCachingWithoutMaxAge(t *testing.T) {
	s := serve(t, cached, func(c *httpapi.Config) { c.CacheMaxAge = 0 })
	s.Fill(t, apitest.Comments(3)...)
	for range 2 {
		a := s.ask(t, http.MethodGet, listed)
		testkit.Check(t, a.Status == 200 && a.Header.Get("Cache-Control") == "no-store" && a.Header.Get("ETag") == "", "%d, %v", a.Status, a.Header)
	}
}

// An answer with errors must not be kept, even one that has data too.
func TestErrorsAreNotKept(t *testing.T) {
	s := serve(t, cached, func(c *httpapi.Config) { c.Store = store.New(gone{}, "gone", store.Options{}) })
	for range 2 {
		a := s.ask(t, http.MethodGet, listed)
		wantRefusal(t, a, http.StatusOK, "UNAVAILABLE", "")
		testkit.Check(t, a.Header.Get("Cache-Control") == "no-store" && a.Header.Get("ETag") == "", "%v", a.Header)
	}
}

func TestIfNoneMatch(t *testing.T) {
	s := serve(t, cached)
	s.Fill(t, apitest.Comments(3)...)
	first := s.ask(t, http.MethodGet, listed)
	etag := first.Header.Get("ETag")
	testkit.Need(t, strings.HasPrefix(etag, `W/"`), "the ETag is %s", etag)
	strong := strings.TrimPrefix(etag, "W/")
	for value, status := range map[string]int{
		etag:                                304,
		strong:                              304, // compared weakly
		`"a", W/"b",` + etag:                304,
		`"a,b" , ` + etag:                   304, // a comma may be in a tag
		`*`:                                 304,
		`"other"`:                           200,
		`W/"other", "` + strong:             200, // malformed
		strings.Trim(strong, `"`):           200, // not quoted
		`"` + strings.Repeat("a", 1000):     200, // without an end
		strings.ToUpper(etag) + `, "*", ,,`: 200,
	} {
		a := s.ask(t, http.MethodGet, listed, "If-None-Match", value)
		testkit.Equal(t, a.Status, status, "%s", value)
		testkit.Check(t, a.Header.Get("ETag") == etag && a.Header.Get("Cache-Control") == public, "%s: %v", value, a.Header)
		wantVary(t, a, "Accept", "Accept-Encoding", "Authorization", "Cookie")
		if status == 304 && (a.Data != nil || a.Header.Get("Content-Length") != "" || a.Header.Get("Content-Type") != "") {
			t.Errorf("%s: a body, %v", value, a.Header)
		}
	}
	// Another media type or other data have another ETag.
	a := s.ask(t, http.MethodGet, listed, "Accept", "application/graphql-response+json", "If-None-Match", etag)
	testkit.Check(t, a.Status == 200 && a.Header.Get("ETag") != etag, "another media type: %d, %v", a.Status, a.Header)
	less := listed
	less.variables = `{"id":"42","first":1}`
	a = s.ask(t, http.MethodGet, less, "If-None-Match", etag)
	testkit.Check(t, a.Status == 200 && a.Header.Get("ETag") != etag, "other data: %d, %v", a.Status, a.Header)
	// Answers that may not be cached are sent in full.
	for name, a := range map[string]apitest.Answer{
		"POST":          s.ask(t, http.MethodPost, listed, "If-None-Match", etag),
		"Authorization": s.ask(t, http.MethodGet, listed, append(apitest.Authorization(t, apitest.Alice), "If-None-Match", etag)...),
	} {
		testkit.Check(t, a.Status == 200 && len(a.Data) > 0, "%s: %d", name, a.Status)
	}
}

// A client that accepts zstd among others gets gzip; one that prefers it, or accepts
// nothing else, gets it, except of the schema, which is kept in gzip alone.
func TestEncodings(t *testing.T) {
	s := serve(t)
	for accepts, want := range map[string]string{
		"gzip": "gzip", "gzip, deflate, br, zstd": "gzip", "zstd, gzip": "gzip", "zstd;q=0.5, gzip;q=0.5": "gzip",
		"zstd;q=1.0, gzip;q=0.5": "zstd", "zstd": "zstd", "br, zstd": "zstd", "br": "", "identity": "", "gzip;q=0, zstd;q=0": "",
	} {
		for _, path := range []string{"/schema.graphql", "/graphql?query=" + `%7B__schema%7Btypes%7Bname%20description%7D%7D%7D`} {
			header, _ := newOnTheWire(t, s.URL+path).ask(t, accepts)
			got := header.Get("Content-Encoding")
			want := want
			if path == "/schema.graphql" && want == "zstd" {
				want = map[bool]string{true: "gzip"}[strings.Contains(accepts, "gzip")]
			}
			testkit.Check(t, got == want, "%s: %q for a client that accepts %s, want %q", path, got, accepts, want)
		}
	}
}
