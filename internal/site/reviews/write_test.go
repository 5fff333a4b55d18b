package reviews_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
	"product-comments/store/storetest"
)

// invite records a guest's order of the products 42, 43 and 44, and returns the path of the page to
// write about 42.
func invite(t *testing.T, s *apitest.Service, order string) string {
	t.Helper()
	shop := s.As(apitest.Shop)
	a := shop.Post(t, fmt.Sprintf(`mutation{recordOrder(input:{orderId:%q,status:DELIVERED,placedAt:"2026-01-01T10:00:00Z",lines:[{productId:"42",quantity:1},{productId:"43",quantity:1},{productId:"44",quantity:1}]}){order{id}}
		createInvitation(input:{orderId:%[1]q,productId:"42"}){invitation{token}}}`, order), nil)
	testkit.Need(t, len(a.Errors) == 0, "%+v", a.Errors)
	return "/write/" + a.At(t, "createInvitation", "invitation", "token").(string)
}

// submit sends a form.
func submit(t *testing.T, s *apitest.Service, path string, values url.Values) (*http.Response, string) {
	t.Helper()
	return send(t, s, http.MethodPost, path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// The page of an invitation shows the product and a form, then what was written with a form to change
// it. Opening it changes nothing.
func TestWritePage(t *testing.T) {
	s := serve(t)
	path := invite(t, s, "17")
	for range 2 {
		a, body := get(t, s, path+"?rating=4&lang=de")
		for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex", "Cache-Control": "no-store", "X-Frame-Options": "DENY"} {
			testkit.Equal(t, a.Header.Get(name), want, name)
		}
		policy := a.Header.Get("Content-Security-Policy")
		testkit.Check(t, strings.Contains(policy, "frame-ancestors 'none'") && !strings.Contains(policy, "script"), "%s", policy)
		for _, part := range []string{`<html lang="de"`, "A &amp; B &lt;pack&gt;", `value="4" required checked`, `name="a.fit"`, `name="a.size"`, `<a href="/write/`, `<span>43</span>`, `<span>44</span>`, "Bewertung schreiben"} {
			testkit.Check(t, a.StatusCode == http.StatusOK && strings.Contains(body, part), "%d without %s: %s", a.StatusCode, part, body)
		}
		testkit.Check(t, !strings.Contains(body, "<script") && !strings.Contains(body, "pr-comment"), "%s", body)
	}
	a, body := submit(t, s, path+"?lang=de", url.Values{"title": {"kept"}, "a.fit": {"9"}, "language": {"english"}})
	for _, part := range []string{`value="kept"`, `id="pr-e-rating"`, `id="pr-e-language"`} {
		testkit.Check(t, a.StatusCode == http.StatusUnprocessableEntity && strings.Contains(body, part), "%d without %s: %s", a.StatusCode, part, body)
	}
	a, body = submit(t, s, path, url.Values{"rating": {"5"}, "title": {"x"}, "a.weight": {"heavy"}})
	testkit.Check(t, strings.Contains(body, `id="pr-e-a.weight"`), "%d: %s", a.StatusCode, body)
	a, body = submit(t, s, path+"?lang=de", url.Values{"rating": {"5"}, "title": {hostile}, "text": {"My words."}, "author": {"G."}, "a.size": {"L"}})
	testkit.Need(t, a.StatusCode == http.StatusSeeOther, "%d: %s", a.StatusCode, body)
	a, body = get(t, s, a.Header.Get("Location"))
	for _, part := range []string{`role="status"`, "My words.", "size: L", "Ihre Bewertung", "pr-verified", `<option value="L" selected>`} {
		testkit.Check(t, strings.Contains(body, part), "%d without %s: %s", a.StatusCode, part, body)
	}
	testkit.Check(t, !strings.Contains(body, "<script") && !strings.Contains(body, `name="author"`), "%s", body)
	a, _ = submit(t, s, path, url.Values{"rating": {"2"}, "title": {"Changed"}, "language": {"en"}, "a.size": {""}})
	testkit.Equal(t, a.StatusCode, http.StatusSeeOther, "status")
	s.As(apitest.Anonymous).Want(t, `{product(id:"42"){comments(first:1){nodes{rating title text author verifiedPurchase attributes{value}}}}}`,
		`{"product":{"comments":{"nodes":[{"rating":2,"title":"Changed","text":null,"author":"G.","verifiedPurchase":true,"attributes":[]}]}}}`)
	_, body = get(t, s, path)
	_, body = get(t, s, regexp.MustCompile(`<a href="(/write/[^"]+)`).FindStringSubmatch(body)[1])
	testkit.Check(t, strings.Count(body, "<span>") == 1 && strings.Contains(body, "<span>44</span>"), "after 42 was written about, the page of 43 leads to: %s", body)
	testkit.Check(t, !strings.Contains(s.Log.String(), strings.TrimPrefix(path, "/write/")), "the log has the invitation")
}

// Without a catalogue, for a comment that waits, and for an invitation that cannot be used, there is a
// page, too.
func TestOtherWritePages(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Reviews.Catalogue = nil
		c.Limits.FailureBudget, c.Limits.Local = admission.NewBudget(10, nil), true
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Moderation: moderation.Options{Mode: moderation.Pre}})
	})
	path := invite(t, s, "17")
	a, body := get(t, s, path, "Accept-Language", "pt, fr;q=0.8")
	testkit.Check(t, a.StatusCode == http.StatusOK && strings.Contains(body, `lang="fr"`) && !strings.Contains(body, "pr-product"), "%d: %s", a.StatusCode, body)
	a, _ = submit(t, s, path, url.Values{"rating": {"5"}})
	_, body = get(t, s, a.Header.Get("Location"))
	testkit.Check(t, strings.Contains(body, "It waits for a moderator."), "%s", body)
	testkit.Value(s.Store.Decide(t.Context(), store.Ruling{ID: s.As(apitest.Mia).Post(t, `{moderationQueue{nodes{commentId}}}`, nil).At(t, "moderationQueue", "nodes", 0, "commentId").(string), Verb: moderation.Reject, Reason: "no", Code: "SPAM"}))(t)
	_, body = get(t, s, path)
	testkit.Check(t, strings.Contains(body, "A moderator has rejected it.") && strings.Contains(body, "It advertises something."), "%s", body)

	expired := testkit.Value(testkit.Value(invitations.New(make([]byte, cursor.MinSecret)))(t).Token(invitations.Invitation{OrderID: "17", ProductID: "42", Expires: time.Unix(1, 0)}))(t)
	for token, want := range map[string]struct {
		status int
		text   string
	}{expired: {http.StatusGone, "Dieser Link ist nicht mehr gültig."}, "none": {http.StatusNotFound, "Dieser Link ist unvollständig"}} {
		for _, ask := range []func() (*http.Response, string){
			func() (*http.Response, string) { return get(t, s, "/write/"+token+"?lang=de") },
			func() (*http.Response, string) {
				return submit(t, s, "/write/"+token+"?lang=de", url.Values{"rating": {"5"}})
			},
		} {
			a, body := ask()
			testkit.Check(t, a.StatusCode == want.status && strings.Contains(body, want.text) && !strings.Contains(body, "<form"), "%d: %s", a.StatusCode, body)
			testkit.Equal(t, a.Header.Get("Cache-Control"), "no-store", "Cache-Control")
		}
	}
	for range 20 {
		a, body = get(t, s, "/write/guess")
	}
	testkit.Check(t, a.StatusCode == http.StatusTooManyRequests && a.Header.Get("Retry-After") != "" && strings.Contains(body, "too many requests"), "%d: %s", a.StatusCode, body)
	a, _ = submit(t, s, path, url.Values{"text": {strings.Repeat("x", 400<<10)}})
	testkit.Check(t, a.StatusCode >= 400, "a form that is too large: %d", a.StatusCode)
}

// A guest writes and changes a review in a browser, with and without JavaScript, and axe finds nothing.
func TestWritingByInvitation(t *testing.T) {
	b, all := openShop(t), testkit.All(t)
	for n, look := range []struct {
		width  int64
		script bool
	}{{390, false}, {1280, true}, {320, true}} {
		if n == 2 && !all {
			continue
		}
		b := tab{browser.Open(t, b.URL), b.s}
		testkit.Must(t, chromedp.Do(b.Ctx, chromedp.EmulateViewport(look.width, 900)))
		script := func(on bool) {
			testkit.Must(t, chromedp.Do(b.Ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
				return err
			})))
		}
		do := func(actions ...chromedp.Action[chromedp.Void]) {
			t.Helper()
			testkit.Must(t, chromedp.Do(b.Ctx, actions...))
		}
		path := invite(t, b.s, fmt.Sprint("order ", n))
		script(look.script)
		b.Show(path + "?rating=4")
		do(chromedp.WaitVisible(chromedp.CSS(`.pr-form [name=title]`)))
		if look.script {
			b.Accessible("the form", look.width)
		}
		do(chromedp.SendKeys(chromedp.CSS(`.pr-form [name=title]`), "by a guest"), chromedp.Click(chromedp.CSS(`.pr-form button`)))
		do(chromedp.WaitVisible(chromedp.CSS(`.pr-comment .pr-s40`)), chromedp.Click(chromedp.CSS(`.pr-more summary`)))
		do(chromedp.SendKeys(chromedp.CSS(`.pr-form [name=text]`), "More words."), chromedp.Click(chromedp.CSS(`.pr-form button`)))
		do(chromedp.WaitVisible(chromedp.CSS(`.pr-comment .pr-text`)))
		if look.script {
			b.Do(`document.querySelector(".pr-more").open = true`)
			b.Accessible("the comment", look.width)
		}
		b.Quiet()
	}
}
