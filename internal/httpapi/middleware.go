package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/internal/telemetry"
)

// requestIDHeader identifies a request in the logs of every server that it passes.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// requestID takes the request id that the client sent, or makes one, and sends
// it back.
func requestID(w http.ResponseWriter, r *http.Request, next http.Handler) {
	id := r.Header.Get(requestIDHeader)
	if !validRequestID(id) {
		id = ulid.Make().String()
	}
	w.Header().Set(requestIDHeader, id)
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
}

// validRequestID refuses ids with which a client could forge or flood log lines.
func validRequestID(id string) bool {
	wrong := func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, wrong)
}

// LogHandler adds the request id, and the trace id if there is one, to all records that are logged while a request is
// served.
func LogHandler(next slog.Handler) slog.Handler { return logHandler{next} }

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(requestIDKey{}).(string); ok {
		record.AddAttrs(slog.String("request_id", id))
	}
	if id := telemetry.TraceID(ctx); id != "" {
		record.AddAttrs(slog.String("trace_id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler { return logHandler{h.Handler.WithGroup(name)} }

// trace makes a request a part of a trace.
func (s *server) trace(w http.ResponseWriter, r *http.Request, next http.Handler) {
	r, end := s.Telemetry.BeginRequest(r)
	if end == nil {
		next.ServeHTTP(w, r)
		return
	}
	seen := &recorder{ResponseWriter: w, status: http.StatusOK}
	defer func() { end(seen.status) }()
	next.ServeHTTP(seen, r)
}

// log logs every request when it has been answered. Queries and variables are
// not logged, because they may contain personal data.
func (s *server) log(w http.ResponseWriter, r *http.Request, next http.Handler) {
	start := time.Now()
	seen := &recorder{ResponseWriter: w, status: http.StatusOK}
	next.ServeHTTP(seen, r)
	took := time.Since(start)
	s.Telemetry.Answered(r.URL.Path, seen.status, took)
	level := slog.LevelInfo
	switch {
	case w.Header().Get("Retry-After") != "": // turned away; the reasons are counted, and a flood must not fill the log
		level = slog.LevelDebug
	case seen.meant: // no fault
		level = slog.LevelDebug
	case seen.status >= http.StatusInternalServerError:
		level = slog.LevelError
	case slices.Contains(polledPaths, r.URL.Path):
		level = slog.LevelDebug
	}
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", seen.status),
		slog.Int("bytes", seen.bytes), slog.Duration("took", took))
}

// recorder remembers the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	status, bytes int
	meant         bool // see asMeant
}

// asMeant notes that the status of an answer is no fault, whatever it is, so that the log
// has no error of it.
func asMeant(w http.ResponseWriter) {
	for {
		switch wrapper := w.(type) {
		case *recorder:
			wrapper.meant = true
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = wrapper.Unwrap()
		default:
			return
		}
	}
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// ReadTime is how much longer than a request may take its client may take to read the
// answer.
const ReadTime = 10 * time.Second

// SendTime is how much longer than a request may take its client may take to send it.
const SendTime = 5 * time.Second

// limit bounds the size of a request's body and the time to answer it.
func (s *server) limit(w http.ResponseWriter, r *http.Request, next http.Handler) {
	ctx, cancel := context.WithTimeout(r.Context(), s.Limits.Timeout)
	defer cancel()
	r = r.WithContext(ctx)
	r.Body = http.MaxBytesReader(w, r.Body, s.Limits.Body)
	next.ServeHTTP(w, r)
}

// methods answers requests with other methods than GET and POST with 405.
func methods(w http.ResponseWriter, r *http.Request, next http.Handler) {
	allowed := []string{http.MethodGet, http.MethodPost}
	if !slices.Contains(allowed, r.Method) {
		w.Header()["Allow"] = allowed
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
		return
	}
	next.ServeHTTP(w, r)
}
