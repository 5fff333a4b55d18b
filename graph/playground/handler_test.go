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
)

// vendor stands in for GraphiQL and React where no browser looks at them.
func vendor() fstest.MapFS {
	fsys := fstest.MapFS{licences: {Data: []byte("MIT")}}
	for _, name := range vendorNames {
		fsys[name] = &fstest.MapFile{Data: []byte("/* " + name + " */")}
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
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
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
		if res.StatusCode != tt.status {
			t.Errorf("%s %s: %d, want %d", tt.method, tt.target, res.StatusCode, tt.status)
		}
		want := map[string]string{"X-Content-Type-Options": "nosniff", "Content-Security-Policy": policy, "Referrer-Policy": "no-referrer"}
		switch tt.status {
		case http.StatusOK:
			want["Content-Type"], want["Cache-Control"] = tt.contentType, "no-cache"
		case http.StatusMethodNotAllowed:
			want["Allow"] = "GET, HEAD"
		}
		for name, want := range want {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", tt.method, tt.target, name, got, want)
			}
		}
	}
}

// link matches what the page loads, hash included.
var link = regexp.MustCompile(`(?:src|href)="([^"]+)"`)

func TestEveryLinkIsServedAndKept(t *testing.T) {
	links := link.FindAllStringSubmatch(body(t, request(t, vendor(), "GET", "/")), -1)
	if len(links) != len(vendorNames)+len(ownNames) {
		t.Fatalf("the page links to %d files, want %d", len(links), len(vendorNames)+len(ownNames))
	}
	for _, m := range links {
		target := html.UnescapeString(m[1])
		res := request(t, vendor(), "GET", target)
		if res.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", target, res.StatusCode)
		}
		if got := res.Header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: Cache-Control is %q", target, got)
		}
	}
}

func TestUnchangedContentIsNotSentAgain(t *testing.T) {
	for _, target := range []string{"/", "/playground/graphiql.min.js"} {
		etag := request(t, vendor(), "GET", target).Header.Get("ETag")
		if etag == "" {
			t.Fatalf("%s has no ETag", target)
		}
		if res := request(t, vendor(), "GET", target, "If-None-Match", etag); res.StatusCode != http.StatusNotModified {
			t.Errorf("%s with its ETag: %d, want 304", target, res.StatusCode)
		}
	}

	before := request(t, vendor(), "GET", "/").Header.Get("ETag")
	changed := vendor()
	changed["graphiql.min.js"].Data = []byte("/* another release */")
	if res := request(t, changed, "GET", "/", "If-None-Match", before); res.StatusCode != http.StatusOK {
		t.Errorf("the page of another GraphiQL: %d, want 200: its links have changed", res.StatusCode)
	}
}

func TestQueryAndEndpointAreEscaped(t *testing.T) {
	const query = "{ comment(id: \"</div><script>alert('x')</script>\") { id } } # & &quot;\n"
	const endpoint = `/graphql?a="b"&c=<d>`
	w := httptest.NewRecorder()
	const token = `"><script>x</script>`
	newHandler(endpoint, []Tab{{query, token}}, token, vendor()).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))

	page := w.Body.String()
	if strings.Contains(page, "<script>") {
		t.Errorf("the query became markup:\n%s", page)
	}
	carried := func(name string) string {
		m := regexp.MustCompile(`data-` + name + `="([^"]*)"`).FindStringSubmatch(page)
		if m == nil {
			t.Fatalf("there is no data-%s", name)
		}
		return html.UnescapeString(m[1])
	}
	for name, want := range map[string]string{"endpoint": endpoint, "end-cursor": EndCursor, "token": token} {
		if got := carried(name); got != want {
			t.Errorf("data-%s carries %q, want %q", name, got, want)
		}
	}
	var tabs []Tab
	if err := json.Unmarshal([]byte(carried("tabs")), &tabs); err != nil || !slices.Equal(tabs, []Tab{{query, token}}) {
		t.Errorf("data-tabs carries %q, %v", tabs, err)
	}
}

func TestNoInlineScript(t *testing.T) {
	page := body(t, request(t, vendor(), "GET", "/"))
	for _, script := range regexp.MustCompile(`<script[^>]*>[^<]*`).FindAllString(page, -1) {
		if !strings.HasSuffix(script, ">") || !strings.Contains(script, " src=") {
			t.Errorf("inline script, which the policy refuses: %s", script)
		}
	}
}

func TestWithoutAssets(t *testing.T) {
	partial := vendor()
	delete(partial, "react.production.min.js")
	empty := vendor()
	empty["graphiql.min.js"].Data = nil

	for name, fsys := range map[string]fs.FS{
		"nothing":    fstest.MapFS{".gitkeep": {}},
		"one absent": partial,
		"one empty":  empty,
	} {
		t.Run(name, func(t *testing.T) {
			res := request(t, fsys, "GET", "/")
			if res.StatusCode != http.StatusServiceUnavailable {
				t.Errorf("status %d, want 503", res.StatusCode)
			}
			if got := res.Header.Get("Cache-Control"); got != "no-store" {
				t.Errorf("Cache-Control is %q: the page would outlive the next build", got)
			}
			page := body(t, res)
			for _, want := range []string{"make playground", "/graphql"} {
				if !strings.Contains(page, want) {
					t.Errorf("the page does not mention %s:\n%s", want, page)
				}
			}
			for _, m := range link.FindAllStringSubmatch(page, -1) {
				if res := request(t, fsys, "GET", html.UnescapeString(m[1])); res.StatusCode != http.StatusOK {
					t.Errorf("%s: %d", m[1], res.StatusCode)
				}
			}
		})
	}
}

// The licences are a courtesy to the reader of the page, not a part of it.
func TestWithoutLicences(t *testing.T) {
	fsys := vendor()
	delete(fsys, licences)
	if res := request(t, fsys, "GET", "/"); res.StatusCode != http.StatusOK {
		t.Errorf("status %d, want 200", res.StatusCode)
	}
}
