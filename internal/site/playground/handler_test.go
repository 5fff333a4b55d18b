package playground

import (
	"encoding/json"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"product-comments/internal/testing/testkit"
)

// vendor stands in for GraphiQL and React where no browser looks at them.
func vendor() fstest.MapFS {
	fsys := fstest.MapFS{"assets/.gitkeep": {}}
	for _, name := range []string{"graphiql.min.css", "graphiql.min.js", "react-dom.production.min.js", "react.production.min.js", "LICENSES.txt"} {
		fsys["assets/"+name] = &fstest.MapFile{Data: []byte("/* " + name + " */")}
	}
	return fsys
}

// request asks the handler of the given files for one thing.
func request(t *testing.T, fsys fs.FS, method, target string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	newHandler("/graphql", tabsOf("{ hello }"), "", fsys).ServeHTTP(w, r)
	return w.Result()
}

// tabsOf returns tabs without tokens of their own.
func tabsOf(queries ...string) (tabs []Tab) {
	for _, query := range queries {
		tabs = append(tabs, Tab{Query: query})
	}
	return tabs
}

func body(t *testing.T, res *http.Response) string {
	t.Helper()
	b := testkit.Value(io.ReadAll(res.Body))(t)
	return string(b)
}

func TestRoutes(t *testing.T) {
	const script = "text/javascript; charset=utf-8"
	for _, tt := range []struct {
		method, target string
		status         int
		contentType    string
	}{
		{"GET", "/", http.StatusOK, "text/html; charset=utf-8"},
		{"HEAD", "/", http.StatusOK, "text/html; charset=utf-8"},
		{"POST", "/", http.StatusMethodNotAllowed, ""},
		{"GET", "/playground", http.StatusNotFound, ""},
		{"GET", "/playground/", http.StatusNotFound, ""},
		{"GET", "/playground/graphiql.min.js", http.StatusOK, script},
		{"HEAD", "/playground/graphiql.min.js", http.StatusOK, script},
		{"DELETE", "/playground/graphiql.min.js", http.StatusMethodNotAllowed, ""},
		{"GET", "/playground/graphiql.min.css", http.StatusOK, "text/css; charset=utf-8"},
		{"GET", "/playground/playground.js", http.StatusOK, script},
		{"GET", "/playground/favicon.svg", http.StatusOK, "image/svg+xml"},
		{"GET", "/playground/LICENSES.txt", http.StatusOK, "text/plain; charset=utf-8"},
		// An address kept from an older build must not pin the newer file for a year.
		{"GET", "/playground/page.css?v=0123456789abcdef", http.StatusOK, "text/css; charset=utf-8"},
		{"GET", "/playground/index.html", http.StatusNotFound, ""},
		{"GET", "/playground/.gitkeep", http.StatusNotFound, ""},
		{"GET", "/index.html", http.StatusNotFound, ""},
		{"GET", "/anything", http.StatusNotFound, ""},
	} {
		res := request(t, vendor(), tt.method, tt.target)
		testkit.Equal(t, res.StatusCode, tt.status, "%s %s", tt.method, tt.target)
		want := map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
		switch tt.status {
		case http.StatusOK:
			want["Content-Type"], want["Cache-Control"] = tt.contentType, "no-cache"
		case http.StatusMethodNotAllowed:
			want["Allow"] = "GET, HEAD"
		}
		for name, want := range want {
			testkit.Equal(t, res.Header.Get(name), want, "%s %s: %s", tt.method, tt.target, name)
		}
	}
}

// link matches what the page loads, hash included.
var link = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

func TestEveryLinkIsServedAndKept(t *testing.T) {
	links := link.FindAllStringSubmatch(body(t, request(t, vendor(), "GET", "/")), -1)
	testkit.Need(t, len(links) == 7, "the page links to %d files, want 7", len(links))
	for _, m := range links {
		target := html.UnescapeString(m[1])
		res := request(t, vendor(), "GET", target)
		testkit.Equal(t, res.StatusCode, http.StatusOK, "%s", target)
		testkit.Equal(t, res.Header.Get("Cache-Control"), "public, max-age=31536000, immutable", "%s: Cache-Control", target)
	}
}

func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	for _, target := range []string{"/", "/playground/graphiql.min.js"} {
		etag := request(t, vendor(), "GET", target).Header.Get("ETag")
		testkit.Need(t, etag != "", "%s has no ETag", target)
		res := request(t, vendor(), "GET", target, "If-None-Match", etag)
		testkit.Check(t, res.StatusCode == http.StatusNotModified, "%s with its ETag: %d, want 304", target, res.StatusCode)
	}

	before := request(t, vendor(), "GET", "/").Header.Get("ETag")
	changed := vendor()
	changed["assets/graphiql.min.js"].Data = []byte("/* another release */")
	res := request(t, changed, "GET", "/", "If-None-Match", before)
	testkit.Check(t, res.StatusCode == http.StatusOK, "the page of another GraphiQL: %d, want 200: its links have changed", res.StatusCode)
}

func TestQueryAndEndpointAreEscaped(t *testing.T) {
	const query = "{ comment(id: \"</div><script>alert('x')</script>\") { id } } # & &quot;\n"
	const endpoint = `/graphql?a="b"&c=<d>`
	w := httptest.NewRecorder()
	const token = `"><script>x</script>`
	newHandler(endpoint, []Tab{{query, token}}, token, vendor()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))

	page := w.Body.String()
	testkit.Check(t, !strings.Contains(page, "<script>"), "the query became markup:\n%s", page)
	carried := func(name string) string {
		m := regexp.MustCompile(`data-` + name + `="([^"]*)"`).FindStringSubmatch(page)
		testkit.Need(t, m != nil, "there is no data-%s", name)
		return html.UnescapeString(m[1])
	}
	for name, want := range map[string]string{"endpoint": endpoint, "end-cursor": EndCursor, "token": token} {
		testkit.Equal(t, carried(name), want, "data-%s carries", name)
	}
	var tabs []Tab
	err := json.Unmarshal([]byte(carried("tabs")), &tabs)
	testkit.Check(t, err == nil && slices.Equal(tabs, []Tab{{query, token}}), "data-tabs carries %q, %v", tabs, err)
}

func TestNoInlineScript(t *testing.T) {
	page := body(t, request(t, vendor(), "GET", "/"))
	for _, script := range regexp.MustCompile(`<script[^>]*>[^<]*`).FindAllString(page, -1) {
		testkit.Check(t, strings.HasSuffix(script, ">") && strings.Contains(script, " src="), "inline script, which the policy refuses: %s", script)
	}
}

func TestWithoutAssets(t *testing.T) {
	partial := vendor()
	delete(partial, "assets/react.production.min.js")
	empty := vendor()
	empty["assets/graphiql.min.js"].Data = nil

	for name, fsys := range map[string]fs.FS{
		"the playground has no file": fstest.MapFS{"assets/.gitkeep": {}},
		"one file is absent":         partial,
		"one file is empty":          empty,
	} {
		t.Run(name, func(t *testing.T) {
			res := request(t, fsys, "GET", "/")
			testkit.Check(t, res.StatusCode == http.StatusServiceUnavailable, "status %d, want 503", res.StatusCode)
			got := res.Header.Get("Cache-Control")
			testkit.Check(t, got == "no-store", "Cache-Control is %q: the page would outlive the next build", got)
			page := body(t, res)
			for _, want := range []string{"make playground", "/graphql"} {
				testkit.Check(t, strings.Contains(page, want), "the page does not mention %s:\n%s", want, page)
			}
			for _, m := range link.FindAllStringSubmatch(page, -1) {
				if res := request(t, fsys, "GET", html.UnescapeString(m[1])); res.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", m[1], res.StatusCode)
				}
			}
		})
	}
}
