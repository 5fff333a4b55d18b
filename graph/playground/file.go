package playground

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"time"
)

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
// can be kept for good.
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
