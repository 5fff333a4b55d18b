package shop_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"product-comments/internal/site/shop"
	"product-comments/internal/testing/testkit"
)

// Moderators see the shop's mails, each in a frame of its own that runs no script; others see none.
func TestOutbox(t *testing.T) {
	var failing error
	mux := http.NewServeMux()
	(&shop.Shop{
		Tokens: func(*http.Request) map[string]string { return map[string]string{"author": "a", "moderator": "m"} },
		Log:    slog.New(slog.DiscardHandler),
		Mails: func(int) ([]shop.Mail, error) {
			return []shop.Mail{{Subject: "<b>How</b>", To: "a@example.com", At: time.Unix(0, 17), HTML: `<html><head></head><script>1</script><a href="/write/x">★</a></html>`}}, failing
		},
	}).Register(mux)
	for path, want := range map[string]struct {
		status int
		has    string
	}{
		"/as/moderator/outbox":    {http.StatusOK, `&lt;b&gt;How&lt;/b&gt;`},
		"/as/moderator/outbox/17": {http.StatusOK, `<head><base target="_top"></head>`},
		"/as/moderator/outbox/18": {http.StatusNotFound, ""},
		"/as/author/outbox":       {http.StatusNotFound, ""},
		"/as/author/outbox/17":    {http.StatusNotFound, ""},
	} {
		page := httptest.NewRecorder()
		mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		testkit.Check(t, page.Code == want.status && strings.Contains(page.Body.String(), want.has), "%s: %d %s", path, page.Code, page.Body)
		if page.Code == http.StatusOK {
			policy := page.Header().Get("Content-Security-Policy")
			testkit.Check(t, strings.Contains(policy, "default-src 'none'") && !strings.Contains(policy, "script-src 'unsafe"), "%s: %s", path, policy)
		}
	}
	failing = errors.New("the folder cannot be read")
	page := httptest.NewRecorder()
	mux.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/as/moderator/outbox", http.NoBody))
	testkit.Equal(t, page.Code, http.StatusInternalServerError, "a folder that cannot be read")
}
