package command

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	if out, log, status := run(t, t.TempDir(), "", "health", server.URL+"/readyz"); status != 0 || out+log != "" {
		t.Errorf("%d %s %s", status, out, log)
	}
	if _, log, status := run(t, t.TempDir(), "", "health", server.URL+"/other"); status != exitFailed || !strings.Contains(log, "503") || !strings.Contains(log, "the table does not answer") {
		t.Errorf("%d %s", status, log)
	}
	server.Close()
	wantRun(t, t.TempDir(), "", exitFailed, "refused", "health", server.URL+"/readyz")
}
