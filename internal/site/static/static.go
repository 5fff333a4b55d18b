// Package static serves files that the binary embeds, under URLs with the hash of their content,
// whose answers may be cached permanently.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Policy is the Content-Security-Policy of pages. Pictures of products and photos may be on other hosts.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self' https: data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// File is a file. Its zero value has no content.
type File struct {
	// Brief is the Cache-Control of the URL without a hash.
	Brief string

	url  string
	hash string // of the content, in hexadecimal
	body []byte
	// zipped returns the body compressed with gzip, nil if that is not smaller. The first call
	// compresses, so that a server starts without it.
	zipped func() []byte
}

// Revalidated is the Cache-Control of files that caches must ask for again each time.
const Revalidated = "no-cache"

// New returns a file at a path such as /reviews.css, whose extension decides its type.
func New(path string, body []byte) File {
	sum := sha256.Sum256(body)
	return File{Brief: Revalidated, url: path, hash: hex.EncodeToString(sum[:8]), body: body, zipped: sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(body) // writing to memory cannot fail
		_ = z.Close()
		if b.Len() >= len(body) {
			return nil
		}
		return b.Bytes()
	})}
}

// URL returns the path with the hash of the content.
func (f File) URL() string { return f.url + "?v=" + f.hash }

// ETag returns the entity tag of the content: a weak one, because compression does not change it.
func (f File) ETag() string { return `W/"` + f.hash + `"` }

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
	h.Add("Vary", "Accept-Encoding")
	body := f.body
	if f.zipped != nil && acceptsGzip(r) {
		if zipped := f.zipped(); zipped != nil {
			body = zipped
			h.Set("Content-Encoding", "gzip")
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// acceptsGzip reports whether the header Accept-Encoding allows gzip (RFC 9110 section 12.5.3).
func acceptsGzip(r *http.Request) (accepts bool) {
	for coding, weight := range Weights(r.Header["Accept-Encoding"]) {
		switch coding {
		case "gzip": // it takes precedence over *
			return weight > 0 && weight <= 1
		case "*":
			accepts = weight > 0 && weight <= 1
		}
	}
	return accepts
}

// Weights yields the elements of an Accept header in lower case, with their weights: 1 by default,
// 0 if malformed.
func Weights(header []string) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for item := range strings.SplitSeq(strings.Join(header, ","), ",") {
			name, parameters, err := mime.ParseMediaType(item)
			weight := 1.0
			if q, ok := parameters["q"]; ok {
				weight, err = strconv.ParseFloat(q, 64)
			}
			if err != nil {
				weight = 0
			}
			if !yield(name, weight) {
				return
			}
		}
	}
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
	// A media type that browsers show; the language has no registered one.
	".graphql": "text/plain; charset=utf-8",
}
