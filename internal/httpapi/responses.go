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

// responses is the cache of responses. It keeps answers as long as shared caches may, and lets
// concurrent requests for the same answer share one execution. A hit needs no GraphQL, no JSON and
// no compression.
//
// Answers are shared, so they must not depend on the client. Requests with credentials bypass the
// cache. A shared execution sees nothing of its request but the URL and the accepted media type,
// which together are the key. CORS is outside of the cache, because it depends on the request's
// origin.
type responses struct {
	*server
	answers *cache.Cache[answerKey, *cachedAnswer]
	flights cache.Flights[answerKey, sharedResult]
}

// answerKey is everything that an answer depends on. query is the query string as sent: the same
// parameters in another order cause another execution, but two requests with the same key never
// differ in meaning.
type answerKey struct {
	query, mediaType string
}

// longestKey limits the query strings of cached answers. A hash, the name of an operation and
// variables need far less.
const longestKey = 4 << 10 // bytes

// newResponses returns an empty cache; a disabled one caches nothing.
func (s *server) newResponses() *responses {
	h := &responses{server: s}
	if s.public != "" && s.Caching.Responses > 0 {
		h.answers = cache.New(cache.Options[answerKey, *cachedAnswer]{
			MaxBytes: s.Caching.Responses,
			Size:     func(key answerKey, k *cachedAnswer) int { return len(key.query) + k.size() },
		})
		s.Telemetry.Cache("responses", h.answers.Stats)
	}
	return h
}

// bufferedAnswer is an http.ResponseWriter that writes to memory.
type bufferedAnswer struct {
	status int
	header http.Header
	body   []byte
}

// sharedResult is the result of an execution that requests share. Exactly one field is set.
type sharedResult struct {
	cached *cachedAnswer   // for all of the requests
	own    *bufferedAnswer // must not be shared: for the request that started the execution
}

// serve is the step that answers from the cache.
func (h *responses) serve(w http.ResponseWriter, r *http.Request, next http.Handler) {
	if h.answers == nil || !namesDocument(r) || !anonymous(r) || len(r.URL.RawQuery) > longestKey {
		next.ServeHTTP(w, r)
		return
	}
	key := answerKey{r.URL.RawQuery, accepted(r.Header["Accept"])}
	if k, ok := h.answers.Get(key); ok {
		// With the Age (RFC 9111 section 5.1), caches in front of this one do not count from 0.
		w.Header().Set("Age", strconv.Itoa(int(max(0, time.Since(k.at))/time.Second)))
		k.serve(w, r)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.Limits.Timeout)
	defer cancel()
	r = r.WithContext(ctx)
	got, began, err := h.flights.Do(ctx, key, func(ctx context.Context) sharedResult { return h.execute(r.WithContext(ctx), key, next) })
	switch {
	case err == nil && got.cached != nil:
		got.cached.serve(w, r)
	case err == nil && began:
		a := accountOf(ctx)
		hold, err := h.Gate.Memory.Enter(ctx, h.Gate.shareOf(a), int64(len(got.own.body)))
		if err != nil {
			h.reject(w, r, h.noMemory(err))
			return
		}
		defer hold.Leave()
		defer h.chargeHeld(ctx, len(got.own.body), time.Now())
		compress(w, r, got.own)
	case errors.Is(err, context.Canceled): // the client is gone
	default:
		// The answer must not be shared, usually because it has errors. Another execution may
		// succeed, and the id of an error must identify one request in the log. So the waiting
		// requests are executed separately, in their remaining time.
		if began && ctx.Err() == nil {
			h.Log.ErrorContext(ctx, "a query that several requests share failed", "error", err)
		}
		next.ServeHTTP(w, r)
	}
}

// execute executes a request for all requests that wait for the same answer. The execution does
// not compress, which each request does for itself.
func (h *responses) execute(r *http.Request, key answerKey, next http.Handler) sharedResult {
	if k, ok := h.answers.Peek(key); ok { // it was cached after this request had missed it
		return sharedResult{cached: k}
	}
	r.Header = http.Header{"Accept": {key.mediaType}}
	r.Body = http.NoBody
	at := time.Now()
	a := &bufferedAnswer{status: http.StatusOK, header: http.Header{}}
	next.ServeHTTP(a, r)
	a.header.Del("Vary") // Vary says that the answer could be compressed
	k := newCachedAnswer(a, h.public, at)
	if k == nil {
		return sharedResult{own: a}
	}
	key.query = strings.Clone(key.query) // a substring of the request line would keep all of it in memory
	h.answers.Set(key, k, at.Add(h.Caching.MaxAge.Truncate(time.Second)))
	return sharedResult{cached: k}
}

// Header implements http.ResponseWriter.
func (a *bufferedAnswer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *bufferedAnswer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *bufferedAnswer) Write(b []byte) (int, error) {
	a.body = append(a.body, b...)
	return len(b), nil
}

// ServeHTTP sends the answer.
func (a *bufferedAnswer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // an error means that the client is gone
}

// cachedAnswer is an answer that many requests get, byte for byte. The header values are slices,
// as http.Header needs them, so that a hit does not allocate. They are shared and must not be
// changed.
type cachedAnswer struct {
	at                              time.Time // start of the execution
	contentType, cacheControl, etag []string
	plain                           body
	gzipped                         body // empty if compression is not worthwhile
}

type body struct {
	bytes  []byte
	length []string // Content-Length
}

func newBody(b []byte) body { return body{b, []string{strconv.Itoa(len(b))}} }

var gzipEncoding = []string{"gzip"}

// newCachedAnswer returns an answer for the cache; nil unless the answer's Cache-Control is
// public.
func newCachedAnswer(a *bufferedAnswer, public string, at time.Time) *cachedAnswer {
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != public || a.header.Get("Etag") == "" {
		return nil
	}
	k := &cachedAnswer{
		at:          at,
		contentType: a.header["Content-Type"], cacheControl: a.header["Cache-Control"], etag: a.header["Etag"],
		plain: newBody(bytes.Clone(a.body)), // without spare capacity
	}
	if z := gzipped(a.body); z != nil {
		k.gzipped = newBody(z)
	}
	return k
}

// size returns the bytes of memory that the answer takes.
func (k *cachedAnswer) size() int {
	const fields = 512 // bytes of the headers and of the struct
	return fields + cap(k.plain.bytes) + cap(k.gzipped.bytes)
}

// serve answers a request with the cached answer.
func (k *cachedAnswer) serve(w http.ResponseWriter, r *http.Request) {
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
