package staff_test

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/key/sealed"
	"product-comments/store/orders"
	"product-comments/store/orders/requests"
	"product-comments/store/outbox"
	"product-comments/store/storetest"
)

// odd is the id of an order that breaks pages which do not escape it.
const odd = `o/1?#"><script>alert(1)</script>`

// order records an order with a contact, so that it has a review request, if it is delivered.
func (d desk) order(t testing.TB, id string, to orders.Status) {
	t.Helper()
	o := orders.Order{ID: id, Username: "bea" + hostile, Status: orders.Placed, Times: orders.Times{time.Now().Add(-time.Hour).UTC().Truncate(time.Second)},
		Lines:   []orders.Line{{ProductID: "42", Quantity: 2, Price: &orders.Money{Amount: "19.90", Currency: "EUR"}}, {ProductID: "43", Quantity: 1}},
		Contact: &requests.Contact{Email: "bea@example.com", Name: "Bea", Language: "en"}}
	_, _, err := d.Store.RecordOrder(t.Context(), o)
	testkit.Must(t, err)
	if to != orders.Placed {
		_, err = d.Store.SetOrderStatus(t.Context(), id, to, time.Now().UTC().Truncate(time.Second))
		testkit.Must(t, err)
	}
}

// refused lets the mail server refuse the message of an order's request once.
func (d desk) refused(t testing.TB, id string) {
	t.Helper()
	sender := d.Store.RequestSender(requests.Policy{}, func(context.Context, *requests.Asking) error { return errors.New("550 " + hostile) }, slog.New(slog.DiscardHandler))
	_, _ = sender.Now(t.Context(), id) // it failed, as it should
}

// gone answers 410 to all events that wait.
func (d desk) gone(t testing.TB) {
	t.Helper()
	send := func(context.Context, *outbox.Endpoint, *outbox.Event) outbox.Outcome {
		return outbox.Outcome{Err: errors.New(hostile), Gone: true}
	}
	s := store.New(storetest.Client(t), d.Store.Table(), store.Options{Keys: testkit.Value(sealed.NewSet(make([]byte, sealed.MinSecret)))(t)}) // knows the endpoints
	testkit.Must(t, outbox.NewSender(s.Outbox(), outbox.Options{Send: send}).Drain(t.Context()))
}

func (d desk) webhook(t testing.TB, url string) string {
	t.Helper()
	a := d.As(apitest.Shop).Post(t, `mutation($u: String!) { createWebhookEndpoint(input: {url: $u, events: [COMMENT_PUBLISHED, REQUEST_OPTED_OUT]}) { endpoint { id } } }`, map[string]any{"u": url})
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	return a.At(t, "createWebhookEndpoint", "endpoint", "id").(string)
}

// Requests are listed by state, and their forms send and cancel them without a script; an order is
// found by its id, whatever it is.
func TestRequests(t *testing.T) {
	d := serve(t)
	d.order(t, odd, orders.Delivered)
	d.order(t, "open", orders.Placed)
	for i := range 22 {
		d.order(t, fmt.Sprintf("n%02d", i), orders.Delivered)
	}
	body := d.get(t, "/staff/requests?state=SCHEDULED")
	_, rest, more := strings.Cut(body, `rel="next" href="`)
	testkit.Need(t, more && strings.Count(body, "<h2>") == 20, "a page has %d requests: %s", strings.Count(body, "<h2>"), body)
	next, _, _ := strings.Cut(rest, `"`)
	testkit.Check(t, strings.Count(d.get(t, strings.ReplaceAll(next, "&amp;", "&")), "<h2>") == 4, "the second page of %s", next)
	page := "/staff/orders?id=" + url.QueryEscape(odd)
	d.refused(t, odd)
	for _, c := range []struct{ path, says string }{
		{"/staff/requests?state=FAILED", "There are no such requests."}, {"/staff/requests?state=nothing", "Scheduled"},
		{"/staff/orders", "open"}, {page, "A &amp; B &lt;pack&gt;"}, {page, "19.90 EUR"}, {page, "Send now"}, {page, "Why it failed: <q dir=\"auto\">550 &lt;/script&gt;"}, {"/staff/orders?id=open", "Placed"},
	} {
		body := d.get(t, c.path)
		testkit.Check(t, strings.Contains(body, c.says) && !strings.Contains(body, "<script>alert"), "%s lacks %q: %s", c.path, c.says, body)
	}
	a, body := d.send(t, "mia", http.MethodGet, "/staff/orders?id=none", "")
	testkit.Check(t, a.StatusCode == http.StatusNotFound && strings.Contains(body, "There is no such order."), "%d %s", a.StatusCode, body)
	status, to, body := d.post(t, "mia", "/staff/do/schedule", "id", odd, "back", page)
	testkit.Check(t, status == http.StatusSeeOther && strings.Contains(to, "said=schedule"), "%d %s %s", status, to, body)
	q := testkit.Value(d.Store.Requests().Get(t.Context(), odd))(t)
	testkit.Check(t, !q.Due.After(time.Now()), "it is due at %v", q.Due)
	status, to, body = d.post(t, "mia", "/staff/do/cancel", "id", odd, "back", "https://evil.example/")
	testkit.Check(t, status == http.StatusSeeOther && to == "/staff?said=cancel", "%d %s %s", status, to, body)
	for path, want := range map[string]int{"/staff/do/schedule": http.StatusConflict, "/staff/do/nothing": http.StatusBadRequest, "/staff/do/test": http.StatusForbidden} {
		status, _, body = d.post(t, "mia", path, "id", odd)
		testkit.Check(t, status == want, "%s: %d %s", path, status, body)
		testkit.Check(t, status == http.StatusBadRequest || strings.Contains(body, `<a href="/staff?said=">`), "%s leads nowhere: %s", path, body)
	}
}

// Services see webhooks, and a moderator reads who does.
func TestEvents(t *testing.T) {
	d := serve(t)
	body := d.get(t, "/staff/events")
	testkit.Check(t, strings.Contains(body, "Only services of the shop") && !strings.Contains(body, `href="/staff/events"`), "%s", body)
	at := "https://hooks.example/" + strings.Repeat("long", 100)
	id := d.webhook(t, at)
	read := func() string {
		_, body := d.send(t, "shop", http.MethodGet, "/staff/events", "")
		return body
	}
	body = read()
	testkit.Check(t, strings.Contains(body, at) && strings.Contains(body, "comment.published, request.opted_out") && strings.Contains(body, `href="/staff/events"`), "%s", body)
	for _, c := range []struct {
		deed, since string
		status      int
		says        string
	}{{"test", "", http.StatusSeeOther, ""}, {"replay", "2026-01-01T00:00", http.StatusSeeOther, ""},
		{"replay", "yesterday", http.StatusBadRequest, "Enter a day and a time"}, {"replay", "0202-01-01T00:00", http.StatusBadRequest, "too late or too early"}} {
		status, to, body := d.post(t, "shop", "/staff/do/"+c.deed, "id", id, "since", c.since, "back", "/staff/events?lang=de")
		testkit.Check(t, status == c.status && strings.Contains(body, c.says) && (status >= 400 || to == "/staff/events?lang=de&said="+c.deed), "%s: %d %s %s", c.deed, status, to, body)
	}
	d.gone(t)
	body = read()
	testkit.Check(t, strings.Contains(body, "webhook.test") && strings.Contains(body, "&lt;img src=x") && !strings.Contains(body, "<script>alert"), "a failure is shown wrongly: %s", body)
	testkit.Check(t, strings.Contains(read(), "Enable again"), "it cannot be enabled: %s", read())
	d.post(t, "shop", "/staff/do/enable", "id", id, "back", "/staff/events")
	testkit.Check(t, strings.Contains(read(), "Gets events"), "it is not enabled: %s", read())
}

// The numbers of the page are those of the API, and each table is a CSV.
func TestNumbers(t *testing.T) {
	d := serve(t)
	var ids []string
	for i := range 4 {
		ids = append(ids, d.write(t, apitest.Alice, "42", fmt.Sprint(i), "text"))
	}
	d.Post(t, `mutation{rejectComment(input:{id:"`+ids[0]+`",reason:"No",code:SPAM}){comment{version}} approveComment(input:{id:"`+ids[1]+`"}){comment{version}}}`, nil)
	d.order(t, "o1", orders.Delivered)
	d.Project(t)
	month := time.Now().UTC().Format("2006-01")
	for name, want := range map[string][]string{
		"reviews": {month, "4", "0"}, "averages": {month, "2.00", "4"}, "decisions": {month, "1", "1", "2"}, "refusals": {"2", "0.500", "1", "1", "4"}, "requests": {month, "0", "0", "0", "0", "0"},
	} {
		a, body := d.send(t, "mia", http.MethodGet, "/staff/numbers/"+name+".csv", "")
		rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
		testkit.Must(t, err)
		testkit.Check(t, slices.ContainsFunc(rows, func(row []string) bool { return slices.Equal(row, want) }), "%s: %q, want %q", name, rows, want)
		testkit.Check(t, strings.HasSuffix(body, "\r\n") && strings.HasPrefix(a.Header.Get("Content-Type"), "text/csv"), "%s: %q", name, a.Header)
	}
	a, _ := d.send(t, "mia", http.MethodGet, "/staff/numbers/none.csv", "")
	testkit.Equal(t, a.StatusCode, http.StatusNotFound, "no such table")
	body := d.get(t, "/staff/numbers")
	testkit.Check(t, strings.Count(body, "<section") == 5 && strings.Contains(body, "50%") && strings.Contains(body, `class="s0"`), "%s", body)
}

// While the store does not answer, each page says so.
func TestPagesWithoutAStore(t *testing.T) {
	d := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(storetest.At("http://127.0.0.1:1"), c.Store.Table(), store.Options{})
		c.Limits.Timeout = time.Second
	})
	for _, path := range []string{"/staff/numbers", "/staff/numbers/reviews.csv", "/staff/requests", "/staff/orders", "/staff/orders?id=o1"} {
		a, body := d.send(t, "mia", http.MethodGet, path, "")
		testkit.Check(t, a.StatusCode == http.StatusServiceUnavailable && strings.Contains(body, `role="alert"`) && strings.Contains(body, "Try again"), "%s: %d %s", path, a.StatusCode, body)
	}
}

// The pages are accessible at both widths, in the dark and from right to left, and every control works
// with the keyboard.
func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	d := serve(t)
	d.order(t, odd, orders.Delivered)
	d.refused(t, odd)
	d.webhook(t, "https://hooks.example/"+strings.Repeat("long", 100))
	d.write(t, apitest.Alice, "42", "One", "text")
	d.Project(t)
	b := browser.Open(t, d.URL)
	b.Show("/as/shop")
	for i, path := range []string{"/staff/requests", "/staff/events", "/staff/orders?id=" + url.QueryEscape(odd) + "&lang=ar", "/staff/orders", "/staff/numbers", "/staff/numbers?lang=ar", "/staff/events?lang=ar"} {
		for n, width := range []int64{390, 1600} {
			if i%2 == n {
				b.Show(path)
				b.Do(`document.querySelectorAll("details").forEach((d) => d.open = true)`)
				b.Accessible(path, width)
			}
		}
	}
	press := func(path, button, said string) {
		t.Helper()
		b.Show(path)
		b.Do(`document.querySelector("` + button + `").focus(); document.activeElement.click()`)
		b.Wait(`document.querySelector(".st-say")?.textContent === "` + said + `"`)
	}
	press("/staff/requests", `form[action$='schedule'] button`, "The request is sent within moments.")
	press("/staff/requests", `form[action$='cancel'] button`, "The request is cancelled.")
	press("/staff/events", `form[action$='test'] button`, "The test event is sent within moments.")
	b.Do(`document.querySelector("[name=since]").value = "2026-01-01T00:00"; document.querySelector("form[action$='replay'] button").click()`)
	b.Wait(`document.querySelector(".st-say")?.textContent === "The events are sent again."`)
	b.Show("/staff/requests")
	b.Do(`document.querySelector("[name=id]").value = ` + fmt.Sprintf("%q", odd) + `; document.querySelector("[name=id]").form.requestSubmit()`)
	b.Wait(`location.pathname === "/staff/orders" && document.querySelector("h1")?.textContent.includes("alert(1)")`)
	b.Quiet()
}
