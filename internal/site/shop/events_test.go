package shop_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"product-comments/internal/site/shop"
	"product-comments/internal/testing/testkit"
)

// The shop shows moderators the webhooks that have a signature by one of its secrets, each once, the
// newest first.
func TestReceiver(t *testing.T) {
	old, current, wrong := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32), bytes.Repeat([]byte{3}, 32)
	mux := http.NewServeMux()
	(&shop.Shop{
		Tokens: func(*http.Request) map[string]string { return map[string]string{"author": "a", "moderator": "m"} },
		Log:    slog.New(slog.DiscardHandler),
		Receiver: &shop.Receiver{Secrets: func(context.Context) ([][]byte, error) {
			return [][]byte{current, old}, nil
		}},
	}).Register(mux)
	ask := func(r *http.Request) (int, string) {
		page := httptest.NewRecorder()
		mux.ServeHTTP(page, r)
		return page.Code, page.Body.String()
	}
	show := func() string {
		t.Helper()
		code, body := ask(httptest.NewRequest(http.MethodGet, "/as/moderator/events", http.NoBody))
		testkit.Equal(t, code, http.StatusOK, "the page")
		return body
	}
	send := func(id, signed, sent string, secret []byte, want int) {
		t.Helper()
		now := time.Now()
		by := testkit.Value(standardwebhooks.NewWebhookRaw(secret))(t)
		r := httptest.NewRequest(http.MethodPost, shop.HooksPath, strings.NewReader(sent))
		r.Header.Set(standardwebhooks.HeaderWebhookID, id)
		r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
		r.Header.Set(standardwebhooks.HeaderWebhookSignature, testkit.Value(by.Sign(id, now, []byte(signed)))(t))
		code, said := ask(r)
		testkit.Check(t, code == want, "%s: %d %s, want %d", id, code, said, want)
	}
	body := func(second int, title string) string {
		return fmt.Sprintf(`{"type":"comment.created","timestamp":"2026-03-09T08:07:%02dZ","data":{"comment":{"productId":"4 2","title":%q}}}`, second, title)
	}
	testkit.Check(t, strings.Contains(show(), "There are no events yet"), "an empty page: %s", show())
	send("evt_a", body(5, "newer"), body(5, "newer"), current, http.StatusNoContent)
	send("evt_b", body(4, "<b>older"), body(4, "<b>older"), old, http.StatusNoContent)
	send("evt_a", body(5, "newer"), body(5, "newer"), current, http.StatusNoContent)
	send("evt_c", body(6, "wrong"), body(6, "wrong"), wrong, http.StatusUnauthorized)
	send("evt_d", body(6, "signed"), body(6, "changed"), current, http.StatusUnauthorized)
	page := show()
	newer, older := strings.Index(page, "&#34;newer&#34;"), strings.Index(page, "&lt;b&gt;older")
	testkit.Check(t, 0 < newer && newer < older && strings.Count(page, "<article") == 2, "the page is %s", page)
	for _, want := range []string{"<h2>comment.created</h2>", "9 March 2026, 08:07:05 UTC", `href="/as/moderator/product/4%202"`, "signature verified", "<summary>Body of evt_a</summary>"} {
		testkit.Check(t, strings.Contains(page, want), "the page lacks %s: %s", want, page)
	}
	for i := range 60 {
		send(fmt.Sprint("evt_", i), body(i, "many"), body(i, "many"), current, http.StatusNoContent)
	}
	testkit.Check(t, strings.Count(show(), "<article") == 50 && strings.Contains(show(), "evt_59<"), "of many: %s", show())
	for _, role := range []string{"author", "visitor"} {
		code, _ := ask(httptest.NewRequest(http.MethodGet, "/as/"+role+"/events", http.NoBody))
		testkit.Equal(t, code, http.StatusNotFound, "for the role %s", role)
	}
}
