// Package playground serves GraphiQL, a page for exploring the API. The binary embeds everything
// that the page needs, so it works without a network, and the page's policy forbids requests to
// other servers.
//
// The directory page holds the files written here, and assets holds GraphiQL and React, which are
// fetched before the build and are not under version control. A binary that was built without them
// serves a notice at "/".
package playground

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"

	"product-comments/internal/static"
)

// Handler serves the playground: the page at exactly "/", and the files of the page under
// "/playground/". Other paths are 404, and methods other than GET and HEAD are 405.
//
// The page sends its queries to endpoint, a path on the same server such as "/graphql"; the page's
// policy forbids other servers. The first visit shows the tabs, the first one active with its
// answer, so it must not be a mutation. In the queries [EndCursor] is replaced by the endCursor of
// that answer. Later visits show the tabs that the person left. The token is preset in the request headers, where the person
// can replace or remove it; everyone who can open the page sees it. An empty token presets none.
func Handler(endpoint string, tabs []Tab, token string) http.Handler {
	return newHandler(endpoint, tabs, token, embedded())
}

// Tab is a tab of the playground. Its query should have a single operation, so that one click runs
// it, with the tab's name.
type Tab struct {
	Query string `json:"query"`
	// Token overrides the page's token in this tab; empty for the page's.
	Token string `json:"token,omitempty"`
}

// EndCursor is a placeholder in a query for a cursor, which differs between installations.
const EndCursor = "<endCursor>"

// newHandler is Handler with the given files of GraphiQL and React.
func newHandler(endpoint string, tabs []Tab, token string, vendor fs.FS) http.Handler {
	files, complete := loadFiles(vendor)

	name, status := "index.html", http.StatusOK
	if !complete {
		name, status = "missing.html", http.StatusServiceUnavailable
	}

	mux := http.NewServeMux()
	mux.Handle("GET /{$}", renderPage(name, status, files, endpoint, tabs, token))
	for name, f := range files {
		mux.Handle("GET "+prefix+name, f)
	}
	return secured(mux)
}

// policy is the Content-Security-Policy: only what GraphiQL needs. Its dialogs and menus add a
// style element whose content depends on the window, so it has no fixed hash: hence
// 'unsafe-inline' for styles. Its fonts are data: URLs in its stylesheet.
var policy = strings.Join([]string{
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self' 'unsafe-inline'",
	"img-src 'self'",
	"font-src data:",
	"connect-src 'self'",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
}, "; ")

// secured sets the policy on every answer, including errors.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

// page is a rendered HTML page.
type page struct {
	status int
	etag   string
	body   []byte
}

// renderPage renders a template of the directory page, once, because nothing in it depends on the
// request.
func renderPage(name string, status int, files map[string]static.File, endpoint string, tabs []Tab, token string) page {
	asset := func(name string) (string, error) {
		f, ok := files[name]
		if !ok {
			return "", fmt.Errorf("there is no file %s to link to", name)
		}
		return f.URL(), nil
	}
	t := template.Must(template.New(name).
		Funcs(template.FuncMap{"asset": asset}).
		ParseFS(pageFiles, path.Join("page", name)))

	var body bytes.Buffer
	list, err := json.Marshal(tabs)
	if err != nil {
		panic(err) // strings can always be marshaled
	}
	data := struct{ Endpoint, Tabs, Token, EndCursor string }{endpoint, string(list), token, EndCursor}
	if err := t.Execute(&body, data); err != nil {
		panic(err) // template and data are constant, and a test renders them
	}
	return page{status: status, etag: static.New(name, body.Bytes()).ETag(), body: body.Bytes()}
}

// ServeHTTP answers with the page, or with 304 if the browser has it.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", static.Types[".html"])
	if p.status != http.StatusOK {
		// A build with the assets replaces this page, so caches must not store it.
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(p.status)
		_, _ = w.Write(p.body) // net/http drops the body of a HEAD
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", p.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
}

// prefix is the path of the page's files.
const prefix = "/playground/"

// "all:" is needed because the directory may hold only .gitkeep, and embedding a directory without
// matching files does not compile.
//
//go:embed all:assets
var assetFiles embed.FS

//go:embed page
var pageFiles embed.FS

// vendorNames are the files that GraphiQL needs.
var vendorNames = []string{
	"graphiql.min.css",
	"graphiql.min.js",
	"react-dom.production.min.js",
	"react.production.min.js",
}

// licences is an optional file.
const licences = "LICENSES.txt"

// ownNames are the static files of the directory page.
var ownNames = []string{"favicon.svg", "page.css", "playground.js"}

// embedded returns the directory with GraphiQL and React.
func embedded() fs.FS {
	return sub(assetFiles, "assets")
}

// loadFiles reads the files to serve under prefix, by name. complete reports whether all files for
// GraphiQL exist.
func loadFiles(vendor fs.FS) (files map[string]static.File, complete bool) {
	files = make(map[string]static.File)
	own := sub(pageFiles, "page")
	for _, name := range ownNames {
		body, err := fs.ReadFile(own, name)
		if err != nil {
			panic(err) // the files are embedded
		}
		files[name] = static.New(prefix+name, body)
	}

	complete = true
	for _, name := range append([]string{licences}, vendorNames...) {
		body, err := fs.ReadFile(vendor, name)
		if err == nil && len(body) > 0 {
			files[name] = static.New(prefix+name, body)
		} else if name != licences {
			complete = false
		}
	}
	return files, complete
}

func sub(fsys fs.FS, dir string) fs.FS {
	s, err := fs.Sub(fsys, dir)
	if err != nil {
		panic(err) // only for an invalid path, and the paths are constants
	}
	return s
}
