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

	"product-comments/internal/site/static"
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
	return newHandler(endpoint, tabs, token, assetFiles)
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

// newHandler is Handler with the given files of GraphiQL and React in the directory assets.
func newHandler(endpoint string, tabs []Tab, token string, vendor fs.FS) http.Handler {
	files := loadFiles(vendor)
	mux := http.NewServeMux()
	for name, f := range files {
		mux.Handle("GET "+prefix+name, f)
	}
	if page, err := render("index.html", files, endpoint, tabs, token); err == nil {
		mux.Handle("GET /{$}", static.New("/index.html", page))
		return secured(mux)
	}
	missing, err := render("missing.html", files, endpoint, tabs, token)
	if err != nil {
		panic(err) // template and data are constant, and a test renders them
	}
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", static.Types[".html"])
		h.Set("Cache-Control", "no-store") // a build with the assets replaces this page
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write(missing) // net/http drops the body of a HEAD
	})
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

// render renders a template of the directory page. It returns an error if the page links to a file
// that does not exist.
func render(name string, files map[string]static.File, endpoint string, tabs []Tab, token string) ([]byte, error) {
	asset := func(name string) (string, error) {
		f, ok := files[name]
		if !ok {
			return "", fmt.Errorf("there is no file %s to link to", name)
		}
		return f.URL(), nil
	}
	t := template.Must(template.New(name).Funcs(template.FuncMap{"asset": asset}).ParseFS(pageFiles, path.Join("page", name)))
	list, err := json.Marshal(tabs)
	if err != nil {
		panic(err) // strings can always be marshaled
	}
	var body bytes.Buffer
	err = t.Execute(&body, struct{ Endpoint, Tabs, Token, EndCursor string }{endpoint, string(list), token, EndCursor})
	return body.Bytes(), err
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

// loadFiles reads the files to serve under prefix, by name: the files of both directories that are not
// empty, except pages.
func loadFiles(vendor fs.FS) map[string]static.File {
	files := make(map[string]static.File)
	for dir, of := range map[string]fs.FS{"page": pageFiles, "assets": vendor} {
		names, _ := fs.Glob(of, dir+"/*") // a valid pattern
		for _, name := range names {
			body, err := fs.ReadFile(of, name)
			if err != nil {
				panic(err) // the files are embedded
			}
			if ext := path.Ext(name); len(body) > 0 && ext != ".html" && static.Types[ext] != "" {
				files[path.Base(name)] = static.New(prefix+path.Base(name), body)
			}
		}
	}
	return files
}
