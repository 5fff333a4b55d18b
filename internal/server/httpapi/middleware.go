package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/internal/server/telemetry"
	"product-comments/store/key/invitations"
	"product-comments/store/key/photo"
	"product-comments/store/orders/requests"
)

// requestIDHeader identifies a request in the logs of every server that it passes.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// requestID takes the client's request id or creates one, and returns it in the answer.
func requestID(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	id := r.Header.Get(requestIDHeader)
	if !validRequestID(id) {
		id = ulid.Make().String()
	}
	w.Header().Set(requestIDHeader, id)
	next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	return nil
}

// validRequestID refuses ids with which a client could forge or flood log lines.
func validRequestID(id string) bool {
	wrong := func(c rune) bool { return c <= ' ' || c > '~' || c == '"' || c == '\\' }
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, wrong)
}

// LogHandler adds the request id, and the trace id if there is one, to records that are logged
// while a request is served.
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

// log logs, counts and traces every answered request. Queries and variables are not logged, because
// they may contain personal data.
func (s *server) log(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	start := time.Now()
	seen := &recorder{ResponseWriter: w, status: http.StatusOK}
	r, end := s.Telemetry.BeginRequest(r)
	if end != nil {
		defer func() { end(seen.status) }() // also after a panic
	}
	next.ServeHTTP(seen, r)
	took := time.Since(start)
	s.Telemetry.Answered(r.URL.Path, seen.status, took)
	level := slog.LevelInfo
	switch {
	case w.Header().Get("Retry-After") != "": // refused for load, or while the server stops: the reasons are counted, and a flood must not fill the log
		level = slog.LevelDebug
	case slices.Contains(unknownClients, seen.status), r.Method == http.MethodOptions:
		level = slog.LevelDebug
	case seen.status >= http.StatusInternalServerError:
		level = slog.LevelError
	case slices.Contains(healthPaths, r.URL.Path), seen.status < http.StatusBadRequest && strings.HasPrefix(r.URL.Path, photo.Path+"/"): // a page shows many photos
		level = slog.LevelDebug
	}
	path := r.URL.Path[:min(len(r.URL.Path), longestLogged)]
	for _, secret := range []string{invitations.Path, requests.PathOptOut} {
		if strings.HasPrefix(path, secret) {
			path = secret // a token follows
		}
	}
	s.Log.LogAttrs(r.Context(), level, "request",
		slog.String("method", r.Method), slog.String("path", path), slog.Int("status", seen.status),
		slog.Int("bytes", seen.bytes), slog.Duration("took", took))
	return nil
}

const longestLogged = 200 // bytes of a path

// unknownClients are statuses of requests that are refused before their budget is known, or that
// ask for nothing that exists. Anyone can send floods of them.
var unknownClients = []int{
	http.StatusNotFound, http.StatusRequestURITooLong, http.StatusMisdirectedRequest,
	http.StatusRequestHeaderFieldsTooLarge,
}

// recorder records the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	status, bytes int
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

// Unwrap implements the unwrapping of http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// methods answers requests other than GET and POST with 405.
func methods(w http.ResponseWriter, r *http.Request, next http.Handler) error {
	allowed := []string{http.MethodGet, http.MethodPost}
	if !slices.Contains(allowed, r.Method) {
		w.Header()["Allow"] = allowed
		http.Error(w, "use GET or POST", http.StatusMethodNotAllowed)
		return nil
	}
	next.ServeHTTP(w, r)
	return nil
}
