package command

import (
	"context"
	"fmt"
	"html"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/orders/requests"
)

// buyer is a browser that walks from the demo's page Outbox to the shop.
type buyer struct {
	browser.Tab
	t      *testing.T
	width  int64
	script bool
}

func (b *buyer) do(actions ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, actions...))
}

func (b *buyer) scripts(on bool) {
	b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on})
		return err
	}))
}

// box is where an element is on its page, and for a frame, the page in it.
type box struct {
	Left, Top, Width float64
	Source           string
}

func (b *buyer) box(selector string) box {
	return browser.Value[box](b.Tab, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView();
		const r = e.getBoundingClientRect();
		return { Left: r.left + e.clientLeft, Top: r.top + e.clientTop, Width: e.clientWidth, Source: e.getAttribute("src") ?? "" };
	})()`, selector))
}

// clickStar clicks on a star of the first product of a mail, in its frame on the page Outbox.
func (b *buyer) clickStar(to string, rating int) {
	b.do(chromedp.EmulateViewport(b.width, 900))
	outbox, frame := "/as/moderator/outbox", fmt.Sprintf(`iframe[title*="%s"]`, to)
	b.Show(outbox)
	b.Accessible("Outbox", b.width)
	b.do(chromedp.EmulateViewport(b.width, 900))
	in := b.box(frame)
	b.do(chromedp.EmulateViewport(int64(in.Width), 900))
	b.Show(in.Source)
	star := b.box(fmt.Sprintf(`.star:nth-of-type(%d)`, rating))
	scrolled := browser.Value[float64](b.Tab, `scrollY`)
	b.do(chromedp.EmulateViewport(b.width, 900))
	b.Show(outbox)
	in = b.box(frame)
	browser.Value[bool](b.Tab, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`) // clicks reach what is drawn
	b.scripts(b.script)
	clicked := time.Time{}
	waitUntil(b.t, "a click opens the page to write on", func() bool {
		at, err := chromedp.Run(b.Ctx, chromedp.Location())
		if err == nil && strings.Contains(at, "/write/") {
			return true
		}
		if time.Since(clicked) > 2*time.Second { // a busy browser loses clicks on a frame that it is about to draw
			clicked = time.Now()
			b.do(chromedp.MouseClickXY(in.Left+star.Left+10, in.Top+star.Top+scrolled+10))
		}
		return false
	})
	b.do(chromedp.WaitReady(chromedp.CSS(fmt.Sprintf(`.pr-form [name=rating][value="%d"]:checked`, rating))))
}

// write fills the form, and returns when its page shows the comment.
func (b *buyer) write(title string, rating int) {
	if b.script {
		b.Accessible("the page to write on", b.width)
	}
	b.do(chromedp.SendKeys(chromedp.CSS(`.pr-form [name=title]`), title), chromedp.Click(chromedp.CSS(`.pr-form button`)))
	b.do(chromedp.WaitVisible(chromedp.CSS(fmt.Sprintf(`.pr-comment .pr-s%d0`, rating))))
	if b.script {
		b.Accessible("the comment", b.width)
	}
	b.scripts(true)
}

// From the demo's page Outbox, a buyer clicks on a star in a mail, writes, and the shop shows it, with and
// without JavaScript. A person who opens the link is counted
// once, and a scanner of mail is not.
func TestReviewsComeIn(t *testing.T) {
	t.Parallel()
	all := testkit.All(t)
	data := filepath.Join(t.TempDir(), "data")
	s := startServer(t, data, "--demo")
	address := strings.TrimSuffix(s.url, "/")
	opened := testkit.Value((&storeFlags{DataDir: data, Table: "comments"}).connect(t.Context(), store.Options{}))(t)
	defer func() { testkit.Must(t, opened.Close()) }()
	month := func() requests.Month {
		return testkit.Value(opened.Requests().Months(t.Context(), 1))(t)[0]
	}
	mailTo := func(to string) (page string) {
		t.Helper()
		waitUntil(t, "the shop shows the mail to "+to, func() bool {
			return strings.Contains(get(t, address+"/as/moderator/outbox"), "&lt;"+to+"&gt;")
		})
		path := regexp.MustCompile(`src="([^"]+)" title="[^"]*` + to).FindStringSubmatch(get(t, address+"/as/moderator/outbox"))
		return get(t, address+path[1])
	}
	link := func(page, to string) string { // with the address
		t.Helper()
		found := regexp.MustCompile(`href="([^"]*` + to + `[^"]*)"`).FindStringSubmatch(page)
		testkit.Need(t, found != nil, "there is no link to %s in %s", to, page)
		return html.UnescapeString(found[1])
	}
	page := mailTo("guest1@example.com")
	star := link(page, "/write/")
	waitUntil(t, "the mail is marked as sent", func() bool { return month().SentCount > 0 })
	for _, c := range []struct {
		method, user string
		opened       int
	}{{http.MethodGet, "", 0}, {http.MethodHead, "", 0}, {http.MethodGet, "?1", 1}, {http.MethodGet, "?1", 1}} { // scanners have no user
		r := testkit.Value(http.NewRequestWithContext(t.Context(), c.method, star, http.NoBody))(t)
		r.Header.Set("Sec-Fetch-User", c.user)
		answer := testkit.Value(http.DefaultClient.Do(r))(t)
		testkit.Check(t, answer.Body.Close() == nil && answer.StatusCode == http.StatusOK, "%s: %s", c.method, answer.Status)
		testkit.Equal(t, month().OpenedCount, c.opened, "opened after "+c.method+c.user)
	}

	b := &buyer{browser.Open(t, address), t, 390, false}
	for n, walk := range []struct {
		to, title string
		width     int64
		script    bool
	}{{"guest1@example.com", "By Robin, without scripts", 390, false}, {"guest2@example.com", "Von Jana, mit Skripten", 1280, true}} {
		if n == 1 {
			if !all { // another mail leaves 20 s later, and axe reads more pages
				return
			}
			page = mailTo(walk.to)
		}
		b.width, b.script = walk.width, walk.script
		b.clickStar(walk.to, 2+n)
		b.write(walk.title, 2+n)
		// a star of another product of the mail, if a busy browser has moved it under the click
		b.Show(browser.Value[string](b.Tab, `document.querySelector(".pr-product a").pathname`))
		b.Wait(fmt.Sprintf(`[...document.querySelectorAll(".pr-comment")].some((c) => c.innerText.includes(%q))`, walk.title))
	}
	is := month()
	testkit.Check(t, is.AnsweredCount == 2, "after two reviews: %+v", is)

	b.Show(strings.TrimPrefix(link(page, "/unsubscribe/"), address))
	b.Accessible("the page to opt out", 390)
	b.do(chromedp.Click(chromedp.CSS(`.pr-form button`)), chromedp.WaitVisible(chromedp.CSS(`[role=status]`)))
	b.Accessible("the page after it", 390)
	b.Quiet(func(problem string) bool { // a mail that is shown alone has an origin of its own
		return strings.Contains(problem, "favicon.ico")
	})
}
