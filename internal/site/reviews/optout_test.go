package reviews_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"product-comments/internal/site/reviews"
	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// requests are review requests with one token.
type requests struct {
	outs int
	down error
}

func (*requests) CanOptOut(token string) error {
	if token != "right" {
		return errs.Invalid("token", "it is wrong")
	}
	return nil
}

func (r *requests) OptOut(context.Context, string) error { r.outs++; return r.down }
func (*requests) OpenedBy(context.Context, string)       {}

// Opening the page to opt out changes nothing; its form, and the one click of a mail program, opt out.
func TestOptOutPage(t *testing.T) {
	r := &requests{}
	h := reviews.New(reviews.Options{API: http.NotFoundHandler(), Log: slog.New(slog.DiscardHandler), Requests: r})
	for _, c := range []struct {
		method, path, body string
		down               error
		status, outs       int
		says               string
	}{
		{http.MethodGet, "/unsubscribe/right", "", nil, http.StatusOK, 0, `action="/unsubscribe/right?lang=en"`},
		{http.MethodHead, "/unsubscribe/right", "", nil, http.StatusOK, 0, ""},
		{http.MethodGet, "/unsubscribe/right?lang=ar", "", nil, http.StatusOK, 0, `dir="rtl"`},
		{http.MethodGet, "/unsubscribe/wrong", "", nil, http.StatusNotFound, 0, "not complete"},
		{http.MethodPost, "/unsubscribe/wrong", "", nil, http.StatusNotFound, 0, "not complete"},
		{http.MethodPost, "/unsubscribe/right", "List-Unsubscribe=One-Click", nil, http.StatusOK, 1, "no more messages"},
		{http.MethodPost, "/unsubscribe/right?lang=de", "", nil, http.StatusOK, 1, "keine Nachrichten mehr"},
		{http.MethodPost, "/unsubscribe/right", "", errors.New("down"), http.StatusServiceUnavailable, 1, `role="alert"`},
	} {
		*r = requests{down: c.down}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, strings.NewReader(c.body)))
		testkit.Check(t, w.Code == c.status && r.outs == c.outs && strings.Contains(w.Body.String(), c.says), "%s %s: %d, %d opt-outs, %s", c.method, c.path, w.Code, r.outs, w.Body)
		head := w.Header()
		testkit.Check(t, head.Get("Cache-Control") == "no-store" && head.Get("Referrer-Policy") == "no-referrer" && head.Get("X-Robots-Tag") == "noindex", "%s %s: %v", c.method, c.path, head)
	}
}
