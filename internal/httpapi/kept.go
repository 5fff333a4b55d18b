package httpapi

import (
	"net/http"
	"strconv"
	"time"
)

// kept is an answer that is given more than once: who asks first, who waits for
// the same, and who comes later all get it from here, so they get the same
// bytes. Values of headers are slices already, which a hit need not make; they
// are shared and never written to.
type kept struct {
	at                              time.Time // before anything of it was read
	contentType, cacheControl, etag []string
	plain, gzipped                  body // gzipped has no bytes if that is not worth while
}

type body struct {
	bytes  []byte
	length []string // Content-Length
}

func newBody(b []byte) body { return body{b, []string{strconv.Itoa(len(b))}} }

var gzipEncoding = []string{"gzip"}

// keep returns an answer as it is kept; nil unless caches may share it, which it
// says itself in its Cache-Control: this process keeps what others may keep.
func keep(a *answered, public string, at time.Time) *kept {
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != public || a.header.Get("Etag") == "" {
		return nil
	}
	k := &kept{at: at, contentType: a.header["Content-Type"], cacheControl: a.header["Cache-Control"], etag: a.header["Etag"], plain: newBody(a.body)}
	if z := compress(a.body); z != nil {
		k.gzipped = newBody(z)
	}
	return k
}

// size returns the bytes that it holds.
func (k *kept) size() int {
	const fields = 512 // of the headers and of the struct itself
	return fields + cap(k.plain.bytes) + cap(k.gzipped.bytes)
}

// serve answers with what is kept.
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
	_, _ = w.Write(b.bytes) // the client may be gone, nobody else cares
}

// serveAgain is serve for an answer from the cache, which tells how old it is
// (RFC 9111 section 5.1): a cache in front of this one counts on from there.
func (k *kept) serveAgain(w http.ResponseWriter, r *http.Request, now time.Time) {
	w.Header().Set("Age", strconv.Itoa(int(max(0, now.Sub(k.at))/time.Second)))
	k.serve(w, r)
}
