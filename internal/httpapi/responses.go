package httpapi

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"product-comments/internal/cache"
)

// responses is the cache of responses. It keeps answers for as long as caches
// elsewhere may keep them, and lets requests that want the same answer at the same
// time share one execution. A hit costs no GraphQL, no JSON and no compression.
//
// Answers are shared, so they must not depend on the client. Requests with
// credentials bypass the cache. An execution for the cache sees nothing of its
// request but the URL and the wanted media type, which together are the key. CORS
// is outside of the cache, because it depends on the request's origin.
type responses struct {
	*server
	answers *cache.Cache[answerKey, *kept]
	flights cache.Flights[answerKey, flown]
}

// answerKey is everything that an answer depends on. query is the query string as
// it was sent. The same parameters in another order are another key, which costs an
// execution of its own; but no two requests with one key can differ in meaning.
type answerKey struct {
	query, mediaType string
}

// longestKey bounds the query strings of answers that are kept. A hash, the name of
// an operation and variables need far less.
const longestKey = 4 << 10 // bytes

// newResponses returns an empty cache, which keeps nothing if it is switched off.
func (s *server) newResponses() *responses {
	h := &responses{server: s}
	if s.public != "" && s.Caching.Responses > 0 {
		h.answers = cache.New(cache.Options[answerKey, *kept]{
			MaxBytes: s.Caching.Responses,
			Size:     func(key answerKey, k *kept) int { return len(key.query) + k.size() },
		})
		s.Telemetry.Cache("responses", h.answers.Stats)
	}
	return h
}

// answered is an answer that was written into memory.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// flown is the result of an execution that requests share: exactly one of the two
// is set.
type flown struct {
	kept *kept     // an answer for all of them
	own  *answered // an answer that must not be shared, for the request that began
}

// serve is a step that answers what it can.
func (h *responses) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if h.answers == nil || !namesDocument(r) || !anonymous(r) || len(r.URL.RawQuery) > longestKey {
		next.ServeHTTP(w, r)
		return
	}
	key := answerKey{r.URL.RawQuery, accepted(r.Header["Accept"])}
	if k, ok := h.answers.Get(key); ok {
		// With its age (RFC 9111 section 5.1) a cache in front of this one does not count from 0.
		w.Header().Set("Age", strconv.Itoa(int(max(0, time.Since(k.at))/time.Second)))
		k.serve(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.Limits.Timeout)
	defer cancel()
	r = r.WithContext(ctx)
	got, began, err := h.flights.Do(ctx, key, func(ctx context.Context) flown { return h.fly(r.WithContext(ctx), key, next) })
	switch {
	case err == nil && got.kept != nil:
		got.kept.serve(w, r)
	case err == nil && began:
		compress(w, r, got.own)
	case errors.Is(err, context.Canceled): // the client is gone
	default:
		// The answer must not be shared, which usually means that it has errors.
		// Another request may succeed, and an error's id must lead to one request
		// in the log. So requests that waited are executed on their own, within what
		// is left of their time.
		if began && ctx.Err() == nil {
			h.Log.ErrorContext(ctx, "a query that several requests share failed", "error", err)
		}
		next.ServeHTTP(w, r)
	}
}

// fly executes a request for all that wait for the same answer. It accepts no
// compression, which is done for each of them.
func (h *responses) fly(r *http.Request, key answerKey, next http.Handler) flown {
	if k, ok := h.answers.Peek(key); ok { // it was kept after this request had missed it
		return flown{kept: k}
	}
	r.Header = http.Header{"Accept": {key.mediaType}}
	r.Body = http.NoBody
	at := time.Now()
	a := &answered{status: http.StatusOK, header: http.Header{}}
	next.ServeHTTP(a, r)
	a.header.Del("Vary") // which says that it could be compressed
	k := keep(a, h.public, at)
	if k == nil {
		return flown{own: a}
	}
	key.query = strings.Clone(key.query) // it is a part of the request line, which would stay in memory
	h.answers.Set(key, k, at.Add(h.Caching.MaxAge.Truncate(time.Second)))
	return flown{kept: k}
}

// Header is part of http.ResponseWriter.
func (a *answered) Header() http.Header { return a.header }

// WriteHeader is part of http.ResponseWriter.
func (a *answered) WriteHeader(status int) { a.status = status }

// Write is part of http.ResponseWriter.
func (a *answered) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}

// ServeHTTP sends the answer.
func (a *answered) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // an error means that the client is gone
}

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
