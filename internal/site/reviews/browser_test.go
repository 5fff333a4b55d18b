package reviews_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"product-comments/access"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/site/reviews"
	"product-comments/internal/site/shop"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/comment/moderation"
	"product-comments/store/storetest"
)

// tab is an open page.
type tab struct {
	browser.Tab
	s *apitest.Service
}

// hookSecret signs the shop's webhooks.
var hookSecret = make([]byte, 32)

// openShop starts a shop and opens a tab. The test runs at the same time as others that do.
func openShop(t *testing.T, change ...func(*httpapi.Config)) tab {
	t.Helper()
	t.Parallel()
	s := serve(t, append([]func(*httpapi.Config){func(c *httpapi.Config) {
		c.Shop = &shop.Shop{Products: []reviews.Entry{{ProductID: "42", Name: "Pack"}, {ProductID: "43", Name: "New pack"}},
			Receiver: &shop.Receiver{Secrets: func(context.Context) ([][]byte, error) { return [][]byte{hookSecret}, nil }}}
		c.PlaygroundTokens = map[access.Role]string{}
		for _, v := range []access.Viewer{apitest.Alice, apitest.Mia} {
			c.PlaygroundTokens[v.Role] = strings.TrimPrefix(apitest.Authorization(t, v)[1], "Bearer ")
		}
	}}, change...)...)
	return tab{browser.Open(t, s.URL), s}
}

const first = `document.querySelector(".pr-comment")?.id`

// Links change the section in place; back and forward restore it.
func TestLinksInPlace(t *testing.T) {
	b := openShop(t)
	b.Show("/product/42")
	b.Do(`window.kept = true`)
	b.Wait(`document.querySelector(".pr-histogram a[role=button]")`)
	b.Do(`document.querySelector('.pr-histogram a[href="?rating=5"]').focus(); document.activeElement.click()`)
	b.Wait(`document.querySelectorAll(".pr-comment").length === 9 && location.search === "?rating=5"`)
	b.Wait(`document.activeElement.getAttribute("aria-pressed") === "true"`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.KeyEvent(" ")))
	b.Wait(`document.querySelectorAll(".pr-comment").length === 20 && location.search === ""`)
	b.Do(`document.querySelector('.pr-pages a[rel=next]').click()`)
	b.Wait(first + ` === "comment-c024" && location.search === "?page=2"`)
	b.Do(`history.back()`)
	b.Wait(first + ` === "comment-c044"`)
	b.Do(`history.forward()`)
	b.Wait(first + ` === "comment-c024"`)
	testkit.Check(t, browser.Value[bool](b.Tab, `window.kept`), "the page was loaded again")
	b.Show("/product/42#comment-c010")
	b.Wait(`document.getElementById("comment-c010") && ` + first + ` === "comment-c024"`)
	b.Quiet()
}

// Without JavaScript the same links are pages, and long texts unfold; so does a report.
func TestWithoutJavaScript(t *testing.T) {
	b := openShop(t, func(c *httpapi.Config) { c.Rules.Notices = true })
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})))
	b.Show("/product/42")
	click := func(selector string) {
		testkit.Must(t, chromedp.Do(b.Ctx, chromedp.Click(chromedp.CSS(selector))))
	}
	click(`.pr-histogram a[href="?rating=5"]`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.pr-histogram a[aria-current]`))))
	click(`.pr-count a`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.pr-pages a[rel=next]`))))
	click(`.pr-pages a[rel=next]`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#comment-c024`))))
	click(`.pr-policy summary`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`.pr-policy li`))))
	click(`#comment-c024 .pr-notice`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`form [name=email]`))))
	click(`.pr-form button`)
	testkit.Must(t, chromedp.Do(b.Ctx, chromedp.WaitVisible(chromedp.CSS(`#pr-e-goodFaith`))))
}

// A person with a token writes, sees what is wrong at its field, changes and deletes; comments that
// wait are in place with their state. Votes count.
func TestWriting(t *testing.T) {
	b := openShop(t, func(c *httpapi.Config) {
		c.Rules.Notices = true
		c.Store = store.New(storetest.Client(t), c.Store.Table(), store.Options{Moderation: moderation.Options{Mode: moderation.Pre}})
	})
	b.Show("/as/author/product/42")
	b.Wait(`document.querySelector(".pr-write")`)
	b.Do(`document.querySelector(".pr-write").click()`)
	b.Wait(`document.querySelector(".pr-form")`)
	b.Do(`document.querySelector(".pr-form button").click()`)
	b.Wait(`document.querySelector(".pr-rating .pr-error")`)
	b.Do(`document.querySelector(".pr-rating input[value='2']").click();
		document.querySelector(".pr-form [name=title]").value = "mine";
		document.querySelector(".pr-form button").click()`)
	b.Wait(`document.querySelector(".pr-own .pr-comment")?.innerText.includes("waits for a moderator")`)
	testkit.Check(t, browser.Value[int](b.Tab, `document.querySelectorAll(".pr > .pr-comment").length`) == 20, "the list changed")
	b.Do(`[...document.querySelectorAll(".pr-own button")].find((x) => x.textContent === "Edit").click()`)
	b.Wait(`document.querySelector(".pr-own .pr-comment form [name=title]")?.value === "mine"`)
	b.Do(`document.querySelector(".pr-own form [name=title]").value = "changed"; document.querySelector(".pr-own form button").click()`)
	b.Wait(`document.querySelector(".pr-own h3")?.textContent === "changed"`)
	b.Do(`window.confirm = () => true; [...document.querySelectorAll(".pr-own button")].find((x) => x.textContent === "Delete").click()`)
	b.Wait(`!document.querySelector(".pr-own .pr-comment") && document.querySelector(".pr-write")`) // the new section is complete
	b.Do(`document.querySelector("[data-vote=HELPFUL]").click()`)
	b.Wait(`document.querySelector("[data-vote=HELPFUL]").getAttribute("aria-pressed") === "true"`)
	b.Do(`document.querySelector("[data-report]").click()`)
	b.Wait(`document.querySelector("[data-report]").disabled`)
	testkit.Check(t, browser.Value[bool](b.Tab, `!document.querySelector("[data-report]").closest(".pr-comment").querySelector(".pr-notice")`), "a person with a token has the link, too")
	b.Show("/as/author/product/42")
	b.Wait(`document.querySelector("[data-vote=HELPFUL]")?.getAttribute("aria-pressed") === "true" && document.querySelector("[data-report]").disabled`)
	b.Quiet()
}

// press presses a key.
func (b tab) press(key string) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.KeyEvent(key)))
}

// tabTo presses Tab until the element with the focus matches a selector.
func (b tab) tabTo(selector string) {
	b.Helper()
	for range 100 {
		b.press(kb.Tab)
		if browser.Value[bool](b.Tab, fmt.Sprintf(`document.activeElement.matches(%q)`, selector)) {
			return
		}
	}
	b.Fatalf("Tab does not lead to %s", selector)
}

// The keyboard alone reaches every control, each with a visible focus, and does all there is to do.
func TestKeyboard(t *testing.T) {
	b := openShop(t)
	b.Show("/as/author/product/42")
	b.Wait(`document.querySelector(".pr-write") && document.querySelector("[data-report]")`)
	b.Do(`window.missed = new Set([...document.querySelectorAll("product-reviews :is(a[href], button, input, textarea, select, summary)")].filter((e) => e.checkVisibility() && !e.disabled));
		window.hidden = [];
		addEventListener("focusin", ({ target }) => {
			if (missed.delete(target) && getComputedStyle(target).outlineStyle === "none") hidden.push(target.outerHTML);
		})`)
	controls := browser.Value[int](b.Tab, `missed.size`)
	testkit.Check(t, controls > 60, "the section has %d controls", controls)
	for left := controls; left > 0 && controls > -60; left = browser.Value[int](b.Tab, `missed.size`) {
		b.press(strings.Repeat(kb.Tab, 20))
		controls -= 20
	}
	missed := browser.Value[[]string](b.Tab, `[...missed].map((e) => e.outerHTML.slice(0, 120))`)
	testkit.Check(t, len(missed) == 0, "not reached: %q", missed)
	hidden := browser.Value[[]string](b.Tab, `hidden`)
	testkit.Check(t, len(hidden) == 0, "the focus is not seen on %q", hidden)

	b.Do(`document.querySelector(".pr-histogram a[href='?rating=5']").focus()`)
	b.press(kb.Enter)
	b.Wait(`document.querySelectorAll(".pr-comment").length === 9 && document.activeElement.matches(".pr-histogram a[aria-pressed=true]")`)
	b.Wait(`document.querySelector(".pr-write")`)
	b.tabTo(`.pr-write`)
	// A second click at the same time changes nothing.
	b.Do(`document.querySelector(".pr-write").addEventListener("click", (e) => e.target.click(), { once: true })`)
	b.press(kb.Enter)
	b.Wait(`document.activeElement.matches(".pr-form [name=rating]")`)
	for range 3 {
		b.press(kb.ArrowRight)
	}
	b.Wait(`document.activeElement.matches(":checked[value='4']")`)
	b.tabTo(`.pr-form [name=title]`)
	b.press("by keys")
	b.tabTo(`.pr-form button:not([type])`)
	testkit.Equal(t, browser.Value[int](b.Tab, `document.querySelectorAll(".pr-form").length`), 1, "forms")
	b.press(kb.Enter)
	b.Wait(`document.querySelector(".pr-own h3")?.textContent === "by keys"`)
	b.Quiet()
}

// In a language that is written from right to left, the section is mirrored.
func TestRightToLeft(t *testing.T) {
	b := openShop(t)
	b.Show("/reviews/42?lang=ar")
	b.Wait(`document.querySelector("[data-vote]")`)
	for _, mirrored := range []string{
		`getComputedStyle(document.querySelector(".pr")).direction === "rtl"`,
		`right(".pr-histogram .pr-label") > right(".pr-histogram .pr-bar")`,
		`right(".pr-histogram .pr-bar") > right(".pr-histogram .pr-n")`,
		`right(".pr-pages li:first-child") > right(".pr-pages li:last-child")`,
		`right(".pr-comment .pr-stars") > right(".pr-comment .pr-by b")`,
	} {
		testkit.Check(t, browser.Value[bool](b.Tab, `((right) => `+mirrored+`)((selector) => document.querySelector(selector).getBoundingClientRect().right)`), "not so: %s", mirrored)
	}
}

// A moderator replies on the product's page.
func TestReply(t *testing.T) {
	b := openShop(t)
	b.Show("/as/moderator/product/42")
	b.Wait(`document.querySelector(".pr-comment [aria-expanded]")`)
	b.Do(`document.querySelector(".pr-comment [aria-expanded]").click()`)
	b.Wait(`document.activeElement?.matches(".pr-comment textarea")`)
	b.Do(`document.activeElement.value = "We answer."; document.querySelector(".pr-comment form button").click()`)
	b.Wait(`document.querySelector(".pr-comment .pr-reply .pr-text")?.textContent === "We answer."`)
	b.Quiet()
}

// hold makes the page's requests wait for release(), or fail.
const hold = `window.send ??= window.fetch; window.held = []; window.fetch = (...a) => new Promise((go, fail) => held.push((fails) => fails ? fail(new TypeError("no network")) : go(send(...a))));
	window.release = (fails) => { const all = held; window.held = []; if (!fails) window.fetch = send; else window.fetch = () => Promise.reject(new TypeError("no network")); all.forEach((x) => x(fails)) };`

// While a section loads, and when it fails, also without labels, there is a sentence.
func TestSentencesOfTheElement(t *testing.T) {
	b := openShop(t)
	says := func(text string) {
		t.Helper()
		b.Wait(fmt.Sprintf(`((said) => said?.textContent.includes(%q) && said.role === "status" && said.checkVisibility())(document.querySelector(".pr-say"))`, text))
	}
	const fresh = `{ const x = document.createElement("product-reviews"); x.setAttribute("product", "42"); document.querySelector("product-reviews").replaceWith(x) }`
	b.Show("/product/42")
	b.Wait(`document.querySelector("[data-vote]")`)
	b.Do(hold + fresh)
	b.Wait(`held.length`)
	b.Do(`release(true)`)
	says("Please try again in a few seconds.")
	b.Do(hold + fresh)
	b.Wait(`held.length === 2`)
	b.Do(`held.shift()()`)
	says("The reviews are loading.")
	b.Do(`release()`)
	b.Wait(`document.querySelectorAll(".pr-comment").length === 20 && !document.querySelector("product-reviews > .pr-say")`)
	b.Quiet()
}

// No state has a finding of axe-core by WCAG 2.2 A and AA, nothing moves while a page loads, no text
// leaves its box, and hostile texts run nothing. Colours do not depend on the width, so the fast run
// has each of both once.
func TestAccessibility(t *testing.T) {
	shop := openShop(t)
	shop.slow()
	shop.deliver(t, `{"type":"comment.created","timestamp":"2026-03-09T08:07:06Z","data":{"comment":{"productId":"42","text":"`+strings.Repeat("long", 200)+`"}}}`)
	for _, look := range []struct {
		width  int64
		colour string
		long   bool
	}{{320, "dark", false}, {1280, "light", true}, {1280, "dark", true}, {320, "light", true}} {
		t.Run(fmt.Sprint(look.width, " ", look.colour), func(t *testing.T) {
			if look.long {
				testkit.Long(t, "the other pairs of width and colours")
			}
			t.Parallel()
			b := tab{browser.Open(t, shop.URL), shop.s}
			b.at(look.width, look.colour)
			for _, path := range []string{
				"/", "/product/42", "/product/42?rating=5&a.size=L", "/product/43", "/reviews/42?lang=ar", "/reviews/42?form&lang=de", "/as/author/product/42", "/as/moderator/events",
			} {
				b.checkAccessibility(path, look.width)
			}
			b.Quiet()
		})
	}
}

// A page whose rest comes late is shown when it is there. Where a shop's page shows the section's start
// before, nothing moves when the rest comes.
func TestPagesWhoseRestIsLate(t *testing.T) {
	const late, start = time.Second, `<h2 id="pr-title">`
	shop := openShop(t)
	serve := shop.s.Config.Handler
	shop.s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		answer := httptest.NewRecorder()
		serve.ServeHTTP(answer, r)
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		body := answer.Body.Bytes()
		if r.URL.Query().Has("before") {
			body = bytes.Replace(body, []byte(`rel="expect"`), []byte(`rel="nowait"`), 1)
		}
		if at := bytes.Index(body, []byte(start)) + len(start); at >= len(start) {
			_, _ = w.Write(body[:at])
			_ = http.NewResponseController(w).Flush()
			time.Sleep(late)
			body = body[at:]
		}
		_, _ = w.Write(body)
	})
	for _, path := range []string{"/product/42", "/reviews/42", "/product/42?before", "/reviews/42?before"} {
		b := tab{browser.Open(t, shop.URL), shop.s}
		b.Show(path)
		b.Wait(`document.querySelector("[data-vote]") && performance.getEntriesByType("paint").length`)
		testkit.Equal(t, browser.Value[string](b.Tab, shifted), "", path+": what moves")
		shown := browser.Value[float64](b.Tab, `performance.getEntriesByType("paint")[0].startTime - performance.getEntriesByType("navigation")[0].requestStart`)
		testkit.Check(t, strings.Contains(path, "before") || shown >= float64(late.Milliseconds()), "%s is shown after %f ms", path, shown)
		b.Quiet()
	}
}

// deliver sends the shop a webhook.
func (b tab) deliver(t *testing.T, body string) {
	t.Helper()
	by, now := testkit.Value(standardwebhooks.NewWebhookRaw(hookSecret))(t), time.Now()
	a := b.s.Send(t, http.MethodPost, "/shop/hooks", []byte(body), standardwebhooks.HeaderWebhookID, "evt_a", standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10),
		standardwebhooks.HeaderWebhookSignature, testkit.Value(by.Sign("evt_a", now, []byte(body)))(t))
	testkit.Equal(t, a.Status, http.StatusNoContent, "the webhook")
}

// checkAccessibility loads a page, and checks that nothing moves, and what Accessible does.
func (b tab) checkAccessibility(path string, width int64) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.Navigate(b.URL+path)))
	b.Wait(`document.readyState === "complete"`)
	if strings.Contains(path, "author") {
		b.Wait(`document.querySelector(".pr-write")`)
	} else if strings.Contains(path, "42") {
		b.Wait(`document.querySelector("[data-vote]")`)
	}
	testkit.Equal(b, browser.Value[string](b.Tab, shifted), "", path+": what moves")
	if strings.Contains(path, "author") {
		b.Do(`document.querySelector(".pr-write").click()`)
		b.Wait(`document.querySelector(".pr-form")`)
	}
	if strings.Contains(path, "events") {
		b.Do(`document.querySelector("summary").click()`)
	}
	b.Accessible(path, width)
}
