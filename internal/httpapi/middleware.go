package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"product-comments/internal/telemetry"
)

// requestIDHeader identifies a request in the logs of every server that it passes.
const requestIDHeader = "X-Request-Id"

type requestIDKey struct{}

// withRequestID takes the request id that the client sent, or makes one, and sends
// it back.
func withRequestID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(requestIDHeader)
		if !validRequestID(id) {
			id = ulid.Make().String()
		}
		w.Header().Set(requestIDHeader, id)
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestIDKey{}, id)))
	})
}

// validRequestID refuses ids with which a client could forge or flood log lines.
func validRequestID(id string) bool {
	if id == "" || len(id) > 64 {
		return false
	}
	for _, c := range []byte(id) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
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

// withLog logs every request when it has been answered. Queries and variables are
// not logged, because they may contain personal data.
func withLog(log *slog.Logger, watched *telemetry.Telemetry, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		recorder := &recorder{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(recorder, r)
		took := time.Since(start)
		watched.Answered(r.URL.Path, recorder.status, took)
		level := slog.LevelInfo
		switch {
		case w.Header().Get("Retry-After") != "": // turned away; the reasons are counted, and a flood must not fill the log
			level = slog.LevelDebug
		case recorder.meant: // no fault
			level = slog.LevelDebug
		case recorder.status >= http.StatusInternalServerError:
			level = slog.LevelError
		case slices.Contains(polled, r.URL.Path):
			level = slog.LevelDebug
		}
		log.LogAttrs(r.Context(), level, "request",
			slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", recorder.status),
			slog.Int("bytes", recorder.bytes), slog.Duration("took", took))
	})
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

// withLimits bounds the size of a request's body and the time to answer it.
func withLimits(maxBody int64, timeout time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), timeout)
		defer cancel()
		r = r.WithContext(ctx)
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		next.ServeHTTP(w, r)
	})
}
