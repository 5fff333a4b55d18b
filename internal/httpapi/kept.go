package httpapi

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
)

// kept is an answer that many requests get: the one that was executed, those that
// waited for the same answer, and later ones. So all of them get the same bytes.
// The values of headers are slices, as http.Header wants them, so that a hit of
// the cache need not allocate them. They are shared and must not be changed.
type kept struct {
	at                              time.Time // when its execution began
	contentType, cacheControl, etag []string
	plain                           body
	gzipped                         body // without bytes if compressing is not worth while
}

type body struct {
	bytes  []byte
	length []string // Content-Length
}

func newBody(b []byte) body { return body{b, []string{strconv.Itoa(len(b))}} }

var gzipEncoding = []string{"gzip"}

// keep prepares an answer to be given again. It returns nil unless the answer's own
// Cache-Control is public: this process keeps what other caches may keep too.
func keep(a *answered, public string, at time.Time) *kept {
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != public || a.header.Get("Etag") == "" {
		return nil
	}
	k := &kept{
		at:          at,
		contentType: a.header["Content-Type"], cacheControl: a.header["Cache-Control"], etag: a.header["Etag"],
		plain: newBody(bytes.Clone(a.body)), // without the spare capacity of what was written in pieces
	}
	if z := gzipped(a.body); z != nil {
		k.gzipped = newBody(z)
	}
	return k
}

// size returns how many bytes of memory the answer takes.
func (k *kept) size() int {
	const fields = 512 // bytes of the headers and of the struct itself
	return fields + cap(k.plain.bytes) + cap(k.gzipped.bytes)
}

// serve answers a request with the kept answer.
func (k *kept) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h["Cache-Control"], h["Etag"] = k.cacheControl, k.etag
	h.Add("Vary", "Accept-Encoding")
	if notModified(r.Header["If-None-Match"], k.etag[0]) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	b := &k.plain
	if k.gzipped.bytes != nil && acceptsGzip(r.Header["Accept-Encoding"]) {
		b = &k.gzipped
		h["Content-Encoding"] = gzipEncoding
	}
	h["Content-Type"], h["Content-Length"] = k.contentType, b.length
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(b.bytes) // an error means that the client is gone
}
