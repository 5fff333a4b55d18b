package command

import (
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"product-comments/access"
	"product-comments/internal/testing/testkit"
)

// The operator's commands, next to a server that sends the events.
func TestWebhooksCommands(t *testing.T) {
	t.Parallel()
	got := make(chan string, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- r.Header.Get("Webhook-Id") + " " + string(body)
	}))
	defer receiver.Close()
	next := func(want string) string {
		t.Helper()
		select {
		case event := <-got:
			testkit.Check(t, strings.Contains(event, want), "got %s, want %s", event, want)
			return event
		case <-time.After(time.Minute):
			t.Fatalf("no %s came", want)
			return ""
		}
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	startServer(t, data, "--webhook-private-addresses")
	stdin := lines
	command := func(status int, want, arguments string) string {
		t.Helper()
		return wantRun(t, dir, stdin, status, want, append(strings.Fields(arguments), "--data-dir=data")...)
	}
	command(0, "there are no webhook endpoints", "webhooks list")
	command(exitFailed, "url: it is not encrypted", "webhooks add "+receiver.URL)
	command(exitFailed, "events: comment.liked is not an event", "webhooks add --event=comment.liked https://shop.example")
	out := command(0, " gets comment.created, comment.deleted of the products 42\n", "webhooks add --webhook-private-addresses --event=comment.created --event=comment.deleted --product=42 "+receiver.URL)
	id, secret := strings.Fields(out)[2], regexp.MustCompile(`(?m)^whsec_\S+$`).FindString(out)
	testkit.Check(t, secret != "" && strings.Contains(out, "It is shown only now"), "add printed %s", out)
	event := strings.TrimSpace(command(0, "evt_", "webhooks test "+id))
	first := []string{next(`{"type":"webhook.test"`)}
	testkit.Check(t, strings.HasPrefix(first[0], event+" "), "the test has another id than %s", event)
	command(0, "2 written", "import -") // no events
	stdin = strings.ReplaceAll(lines, `"commentId":"`, `"commentId":"loud-`)
	command(0, "2 written", "import --events --restart -")
	first = append(first, next(`"commentId":"loud-`), next(`"commentId":"loud-`))
	out = command(0, "all events of comments of all products", "webhooks add https://shop.example")
	command(0, "is deleted: https://shop.example gets no more events", "webhooks remove "+strings.Fields(out)[2])
	list := command(0, id+" "+receiver.URL+", enabled\n  comment.created, comment.deleted of the products 42, since ", "webhooks list")
	testkit.Check(t, !strings.Contains(list, "whsec_") && strings.Count(list, "http") == 1, "the list is %s", list)
	out = command(0, "the earlier one is valid for 1h0m0s\nwhsec_", "webhooks rotate --overlap=1h "+id)
	testkit.Check(t, !strings.Contains(out, secret), "the secret is the same: %s", out)
	command(exitFailed, "overlap: it is 721h0m0s", "webhooks rotate --overlap=721h "+id)
	command(exitFailed, "--since: ", "webhooks replay --since=0001-01-01T00:00:00Z "+id)
	command(0, " gets its events since 2026-01-01T00:00:00Z again", "webhooks replay --since=2026-01-01T00:00:00Z "+id)
	again := []string{next(""), next(""), next("")}
	slices.Sort(first)
	slices.Sort(again)
	testkit.Equal(t, strings.Join(again, "\n"), strings.Join(first, "\n"), "the replay")
	command(exitFailed, "There is no webhook endpoint none", "webhooks remove none")
}

// A review that is written in the demo is an event in its shop within a minute.
func TestEventsOfTheDemo(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	s := startServer(t, data, "--demo")
	s.by(t, data, "someone", access.Author, `mutation{createComment(input:{productId:"42",rating:5,language:"en",title:"An event"}){comment{id}}}`)
	waitUntil(t, "the shop shows the event", func() bool {
		page := get(t, s.url+"as/moderator/events")
		return strings.Contains(page, "<h2>comment.created</h2>") && strings.Contains(page, "An event") && strings.Contains(page, "signature verified")
	})
	list := func() string {
		return wantRun(t, "", "", 0, s.url+"shop/hooks, enabled", "webhooks", "list", "--data-dir="+data)
	}
	id := strings.Fields(list())[0]
	s.stop(t, syscall.SIGKILL)
	s = startServer(t, data, "--demo") // at another address
	again := list()
	testkit.Check(t, strings.HasPrefix(again, id+" ") && strings.Count(again, "enabled") == 1, "after another start: %s", again)
}
