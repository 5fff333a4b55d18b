package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/prometheus/client_golang/prometheus"

	"product-comments/internal/cache"
)

// responses keeps answers in this process for as long as caches elsewhere may
// keep them, and executes what many ask for at the same time once. A request
// that it has the answer of costs no GraphQL, no JSON and no compression.
//
// Answers are shared, so they must not depend on who asks. Requests with
// credentials pass by; of all others the execution sees nothing but the URL and
// the media type of the answer, by which answers are kept. CORS is decided
// outside, for each request.
type responses struct {
	answers *cache.Cache[answerKey, *kept]
	flights cache.Flights[answerKey, flown]
	public  string // Cache-Control of what may be kept
	maxAge  time.Duration
	timeout time.Duration
	now     func() time.Time
	log     *slog.Logger

	execute    http.Handler
	compressed http.Handler // the same, with compressed answers
}

// answerKey is what an answer depends on. The query string is taken as it was
// sent: the same words in another order are another key, which costs an
// execution, but two readings of one key cannot differ.
type answerKey struct {
	query, mediaType string
}

// longestKey bounds the query strings of answers that are kept: a hash, an
// operation's name and variables need far less.
const longestKey = 4 << 10 // bytes

func newResponses(c Config, execute, compressed http.Handler) *responses {
	h := &responses{
		public: c.Caching.public(), maxAge: c.Caching.MaxAge.Truncate(time.Second), timeout: c.Limits.Timeout, now: c.Caching.Now, log: c.Log,
		execute: execute, compressed: compressed,
	}
	if h.now == nil {
		h.now = time.Now
	}
	h.answers = cache.New(cache.Options[answerKey, *kept]{
		MaxBytes: c.Caching.Responses, Now: h.now,
		Size: func(key answerKey, k *kept) int { return len(key.query) + k.size() },
	})
	return h
}

// metrics tells how much the cache helps.
func (h *responses) metrics() []prometheus.Collector {
	counter := func(name, help string, value func(cache.Stats) int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(value(h.answers.Stats())) })
	}
	return []prometheus.Collector{
		counter("product_comments_response_cache_hits_total",
			"Requests that were answered from the response cache.", func(s cache.Stats) int64 { return s.Hits }),
		counter("product_comments_response_cache_misses_total",
			"Requests that the response cache could have answered and did not; several of them at once may share an execution.", func(s cache.Stats) int64 { return s.Misses }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "product_comments_response_cache_bytes", Help: "Bytes that the answers in the response cache take.",
		}, func() float64 { return float64(h.answers.Stats().Bytes) }),
	}
}

// answered is an answer on its way.
type answered struct {
	status int
	header http.Header
	body   []byte
}

// flown is what an execution led to.
type flown struct {
	kept *kept     // nil if nobody may share it
	own  *answered // then it belongs to who began
}

func (h *responses) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !namesDocument(r) || !anonymous(r) || len(r.URL.RawQuery) > longestKey {
		h.compressed.ServeHTTP(w, r)
		return
	}
	key := answerKey{r.URL.RawQuery, accepted(r.Header["Accept"])}
	if k, ok := h.answers.Get(key); ok {
		k.serveAgain(w, r, h.now())
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), h.timeout)
	defer cancel()
	r = r.WithContext(ctx)
	got, began, err := h.flights.Do(ctx, key, func(ctx context.Context) flown { return h.fly(ctx, r, key) })
	switch {
	case err == nil && got.kept != nil:
		got.kept.serve(w, r)
	case err == nil && began:
		gzhttp.GzipHandler(got.own).ServeHTTP(w, r)
	case errors.Is(err, context.Canceled): // the client is gone
	default:
		// An error is one request's own: its id stands in the log, and what
		// hindered one may spare the next. So those who waited ask for
		// themselves, within what is left of their time.
		if began && ctx.Err() == nil {
			h.log.ErrorContext(ctx, "an execution that requests share failed", "error", err)
		}
		h.compressed.ServeHTTP(w, r)
	}
}

// fly executes a request for all who wait for the same answer.
func (h *responses) fly(ctx context.Context, r *http.Request, key answerKey) flown {
	if k, ok := h.answers.Peek(key); ok { // kept since this caller looked
		return flown{kept: k}
	}
	r = r.WithContext(ctx)
	r.Header = http.Header{"Accept": {key.mediaType}}
	r.Body = http.NoBody
	at := h.now()
	a := &answered{status: http.StatusOK, header: http.Header{}}
	h.execute.ServeHTTP(a, r)
	k := keep(a, h.public, at)
	if k == nil {
		return flown{own: a}
	}
	key.query = strings.Clone(key.query) // it is a part of the request line
	h.answers.Set(key, k, at.Add(h.maxAge))
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

// ServeHTTP repeats the answer.
func (a *answered) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	maps.Copy(w.Header(), a.header)
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may be gone, nobody else cares
}
