// Package static serves files that the binary embeds, under URLs with the hash of their content,
// whose answers may be cached permanently.
package static

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"path"
	"time"
)

// File is a file. Its zero value has no content.
type File struct {
	// Brief is the Cache-Control of the URL without a hash.
	Brief string

	url  string
	hash string // of the content, in hexadecimal
	body []byte
}

// Revalidated is the Cache-Control of files that caches must ask for again each time.
const Revalidated = "no-cache"

// New returns a file at a path such as /reviews.css, whose extension decides its type.
func New(path string, body []byte) File {
	sum := sha256.Sum256(body)
	return File{Brief: Revalidated, url: path, hash: hex.EncodeToString(sum[:8]), body: body}
}

// URL returns the path with the hash of the content.
func (f File) URL() string { return f.url + "?v=" + f.hash }

// ETag returns the entity tag of the content.
func (f File) ETag() string { return `"` + f.hash + `"` }

// ServeHTTP answers a request for the file, with 304 if the client has it.
func (f File) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", Types[path.Ext(f.url)])
	if r.URL.Query().Get("v") == f.hash {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		h.Set("Cache-Control", f.Brief)
	}
	h.Set("ETag", f.ETag())
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
}

// Types are media types by extension. They are fixed, because package mime also reads the host's
// tables, which may differ.
var Types = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}
