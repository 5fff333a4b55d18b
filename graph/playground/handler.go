// Package playground serves GraphiQL, the page on which a person explores the
// API. Everything the page needs is embedded in the binary, so it works on a
// machine without network, and its policy forbids it to ask anyone else.
//
// Two folders are embedded: page holds the few files written here, and assets
// holds GraphiQL and React, which are fetched before the build and are not
// under version control. A binary built without them says so at "/".
package playground

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"time"
)

// Handler serves the playground: the page at exactly "/", and what the page
// loads under "/playground/". Everything else is 404, and methods other than
// GET and HEAD are 405.
//
// The page sends its queries to endpoint, a path on the same server such as
// "/graphql"; another server's address would be refused by the page's policy.
// A first visit opens with the tabs, the first in front. Where a query says
// [EndCursor], a first visit has the first endCursor that the first query is
// answered. Later visits open with what the person left there. A token is shown
// among the headers of requests, where it can be exchanged or removed; everybody who
// can open the page sees it. "" is none.
func Handler(endpoint string, tabs []Tab, token string) http.Handler {
	return newHandler(endpoint, tabs, token, embedded())
}

// Tab is what a tab has. Its query should hold a single operation, so that one click
// runs it, and has its name on the tab.
type Tab struct {
	Query string `json:"query"`
	// Token takes the place of the page's in this tab; "" leaves that.
	Token string `json:"token,omitempty"`
}

// EndCursor stands in a query for a cursor, which no two installations share.
const EndCursor = "<endCursor>"

// newHandler is Handler over the given GraphiQL and React files.
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

// policy is what the page may do: what GraphiQL was seen to need, and no more.
// Its dialogs and menus add a style element whose text depends on the window,
// so no hash can name it: hence 'unsafe-inline', for styles alone. Its fonts
// are part of its stylesheet, as data: addresses.
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

// secured puts the policy on every answer, errors too.
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

// renderPage fills in one of the templates of the folder page. That happens
// once: nothing in it depends on the request.
func renderPage(name string, status int, files map[string]file, endpoint string, tabs []Tab, token string) page {
	asset := func(name string) (string, error) {
		f, ok := files[name]
		if !ok {
			return "", fmt.Errorf("there is no file %s to link to", name)
		}
		return f.url(), nil
	}
	t := template.Must(template.New(name).
		Funcs(template.FuncMap{"asset": asset}).
		ParseFS(pageFiles, path.Join("page", name)))

	var body bytes.Buffer
	list, err := json.Marshal(tabs)
	if err != nil {
		panic(err) // strings always can be marshalled
	}
	data := struct{ Endpoint, Tabs, Token, EndCursor string }{endpoint, string(list), token, EndCursor}
	if err := t.Execute(&body, data); err != nil {
		panic(err) // template and data are both ours, and a test renders them
	}
	return page{status: status, etag: `"` + newFile(name, body.Bytes()).hash + `"`, body: body.Bytes()}
}

// ServeHTTP answers with the page, or with 304 when the browser has it.
func (p page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[".html"])
	if p.status != http.StatusOK {
		// Gone with the next build, so no one should remember it.
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(p.status)
		_, _ = w.Write(p.body) // net/http drops the body of a HEAD
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", p.etag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(p.body))
}

// prefix is the folder that the page loads its files from.
const prefix = "/playground/"

// all: because the folder is otherwise empty when it holds only .gitkeep, and
// embedding an empty folder does not compile.
//
//go:embed all:assets
var assetFiles embed.FS

//go:embed page
var pageFiles embed.FS

// vendorNames are the files without which GraphiQL cannot start.
var vendorNames = []string{
	"graphiql.min.css",
	"graphiql.min.js",
	"react-dom.production.min.js",
	"react.production.min.js",
}

// licences is served when it is there; the page works without it.
const licences = "LICENSES.txt"

// ownNames are the files of the folder page that a browser loads as they are.
var ownNames = []string{"favicon.svg", "page.css", "playground.js"}

// embedded returns the folder that the build filled with GraphiQL and React.
func embedded() fs.FS {
	return sub(assetFiles, "assets")
}

// loadFiles reads what is served under prefix, by file name. It reports
// whether everything that GraphiQL needs was there.
func loadFiles(vendor fs.FS) (files map[string]file, complete bool) {
	files = make(map[string]file)
	own := sub(pageFiles, "page")
	for _, name := range ownNames {
		body, err := fs.ReadFile(own, name)
		if err != nil {
			panic(err) // these are part of the source: the build is broken
		}
		files[name] = newFile(name, body)
	}

	complete = true
	for _, name := range append([]string{licences}, vendorNames...) {
		body, err := fs.ReadFile(vendor, name)
		if err == nil && len(body) > 0 {
			files[name] = newFile(name, body)
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

// file is one file that the page loads.
type file struct {
	name string
	hash string // of the content, in hexadecimal
	body []byte
}

func newFile(name string, body []byte) file {
	sum := sha256.Sum256(body)
	return file{name: name, hash: hex.EncodeToString(sum[:8]), body: body}
}

// url is the path that names the file and its content, so that the answer
// can be kept permanently.
func (f file) url() string { return prefix + f.name + "?v=" + f.hash }

// ServeHTTP answers a request for the file. Asked for by the hash it has now,
// it may be cached for ever; otherwise the browser checks each time.
func (f file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", contentTypes[path.Ext(f.name)])
	if r.URL.Query().Get("v") == f.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", "no-cache")
	}
	h.Set("ETag", `"`+f.hash+`"`)
	http.ServeContent(w, r, f.name, time.Time{}, bytes.NewReader(f.body))
}

// contentTypes is fixed here because package mime also reads the host's
// tables, which may say otherwise.
var contentTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}
