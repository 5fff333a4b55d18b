package httpapi_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/internal/httpapi"
	"product-comments/internal/telemetry"
	"product-comments/internal/testkit"
)

// The end of a process is no fault: balancers that ask while it drains leave no error in
// the log.
func TestDrainingIsNoError(t *testing.T) {
	var log bytes.Buffer
	health := httpapi.NewHealth(httpapi.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Telemetry: telemetry.New(telemetry.Options{})})
	health.Drain()
	for _, h := range []http.Handler{health.Public(), health.Operators()} {
		for _, path := range []string{"/readyz", "/readyz?verbose"} {
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil)); w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	text := log.String()
	testkit.Check(t, !strings.Contains(text, "ERROR") && !strings.Contains(text, "WARN"), "%v", text)
}
