package command

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

func TestHealth(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			http.Error(w, "the table does not answer", http.StatusServiceUnavailable)
		}
	}))
	defer server.Close()
	out, log, status := run(t, t.TempDir(), "", "health", server.URL+"/readyz")
	testkit.Check(t, status == 0 && out+log == "", "%d %s %s", status, out, log)
	_, log, status = run(t, t.TempDir(), "", "health", server.URL+"/other")
	testkit.Check(t, status == exitFailed && strings.Contains(log, "503") && strings.Contains(log, "the table does not answer"), "%d %s", status, log)
	server.Close()
	wantRun(t, t.TempDir(), "", exitFailed, "refused", "health", server.URL+"/readyz")
}
