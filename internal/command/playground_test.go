package command

import (
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.Bool("screenshots", false, "write docs/shop-*.png, docs/desk-*.png and docs/mail-1280.png")

// useTheDemo uses the playground of the demo as a newcomer does: in a window on a
// desk, and on a telephone.
func useTheDemo(t *testing.T, address string) {
	ctx := browser.New(t)
	t.Run("the playground fits a desktop", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(1280, 800))
		query := testkit.Value(browser.OpenPlayground(ctx, address))(t)
		testkit.Equal(t, query, httpapi.Example("newest-comments"), "the first visit shows")
		title, err := chromedp.Run(ctx, chromedp.Title())
		testkit.Check(t, err == nil && title == "Product comments", "the title is %q, %v", title, err)
		m := measure(t, ctx)
		testkit.Check(t, m.Hidden == "" && m.Wider == nil && m.EveryLine && m.WholeLines, "at 1280 by 800: %+v", m)
		useTabs(t, ctx)
		testkit.Value(browser.ShowTab(ctx, 0))(t)
		testkit.Value(browser.RunQuery(ctx))(t)
	})
	t.Run("the playground fits a telephone", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		testkit.Value(browser.OpenPlayground(ctx, address))(t)
		result := testkit.Value(browser.Result(ctx))(t)
		testkit.Check(t, strings.Contains(result, `"title"`), "the result pane shows %s", result)
		m := measure(t, ctx)
		testkit.Check(t, m.Hidden == "" && m.Wider == nil && m.WholeLines, "at 390 by 844: %+v", m)
		testkit.Check(t, m.Query >= 200 && m.Answer >= 200, "the query is %g pixels high, the answer %g", m.Query, m.Answer)
		const docs = `.graphiql-doc-explorer`
		testkit.Must(t, chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`[aria-label="Show Documentation Explorer"]`)), chromedp.WaitVisible(chromedp.CSS(docs))))
		width, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`document.querySelector("`+docs+`").getBoundingClientRect().width`))
		if m := measure(t, ctx); err != nil || m.Wider != nil || width < 300 {
			t.Errorf("the documentation is %g pixels wide, %v: %+v", width, err, m)
		}
	})
	t.Run("a later visit shows the tab that was open", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(1280, 800))
		comeBack(t, ctx, address, "CommentsToModerate", `"stateReason"`)
	})
	outside := browser.Outside(ctx, address)
	testkit.Check(t, len(outside) == 0, "the page asked %q", outside)
	problems := browser.Problems(ctx)
	testkit.Check(t, len(problems) == 0, "the page complains: %q", problems)
}

// useTabs runs what each tab has.
func useTabs(t *testing.T, ctx context.Context) {
	t.Helper()
	names := testkit.Value(browser.Tabs(ctx))(t)
	want := []string{"NewestComments", "NextPage", "PageNumbers", "CriticsInTwoLanguages", "MostComfortableGreen", "MostHelpful", "CriticsByPurchaseDate", "CountsAndTopProducts", "WriteComment", "HowAPageIsRead",
		"MyOrdersAndComments", "UnpaidOrders", "MarkAsDelivered", "CommentsToModerate", "ApproveRejectReply"}
	testkit.Need(t, slices.Equal(names, want), "the tabs are %q, want %q", names, want)
	for i, want := range []string{
		`"hasNextPage": true`, `"hasPreviousPage": true`, `"offset": 60`, `"language": "de"`, `"totalCount": 473`, `"helpfulCount": 58`, `"value": "20`, `"averageRating": 4`, `"commentId": "`, `"lines": [`,
		`"verifiedPurchase": true`, `"placedAt": "2026`, `"status": "DELIVERED"`, `"stateReason": "it has a link"`, `"by": "mia"`,
	} {
		query := testkit.Value(browser.ShowTab(ctx, i))(t)
		if m := measure(t, ctx); !m.EveryLine || !m.WholeLines || m.Wider != nil || m.Hidden != "" {
			t.Errorf("not all of %s is seen: %+v", names[i], m)
		}
		result := testkit.Value(browser.RunQuery(ctx))(t)
		if !strings.Contains(result, want) || strings.Contains(result, `"errors"`) || strings.Contains(result, `\n  `) {
			t.Errorf("%s:\n%s\nis answered\n%s\nwithout %s", names[i], query, result, want)
		}
	}
}

// comeBack opens the playground with a tab in front, and again. It has its role's token
// then, and when another tab was in front in the meantime.
func comeBack(t *testing.T, ctx context.Context, address, name, want string) {
	t.Helper()
	names, err := browser.Tabs(ctx)
	testkit.Need(t, err == nil, "%v", err)
	tab := slices.Index(names, name)
	testkit.Value(browser.ShowTab(ctx, tab))(t)
	kept := fmt.Sprintf(`localStorage.getItem("product-comments:graphiql:query")?.includes(" %s {")`, name)
	testkit.Must(t, chromedp.Do(ctx, chromedp.Poll[chromedp.Void](kept)))
	result, err := browser.RunPlaygroundQuery(ctx, address)
	testkit.Check(t, err == nil && strings.Contains(result, want), "at once: %s, %v", result, err)
	for _, tab := range []int{0, tab} {
		testkit.Value(browser.ShowTab(ctx, tab))(t)
		result, err = browser.RunQuery(ctx)
	}
	testkit.Check(t, err == nil && strings.Contains(result, want), "after another tab: %s, %v", result, err)
	again, err := browser.Tabs(ctx)
	testkit.Check(t, err == nil && slices.Equal(again, names), "the tabs are %q, %v", again, err)
}

// resize sets the size of the window.
func resize(t *testing.T, ctx context.Context, size chromedp.Action[chromedp.Void]) {
	t.Helper()
	testkit.Must(t, chromedp.Do(ctx, size))
}

// measured is what of the page is where, in pixels.
type measured struct {
	Wider         []string // elements in sight that end beyond the window's edge, unless they are in one that scrolls by itself
	Hidden        string   // what one needs and does not see
	EveryLine     bool     // the first and the last line of the query are seen
	WholeLines    bool     // no line of it continues beyond the editor's edge
	Query, Answer float64  // heights
}

func measure(t *testing.T, ctx context.Context) (m measured) {
	t.Helper()
	m = testkit.Value(chromedp.Run(ctx, chromedp.Evaluate[measured](`(() => {
		const width = document.documentElement.clientWidth, height = document.documentElement.clientHeight;
		const one = (selector) => document.querySelector(selector);
		const inside = (r) => r.width > 0 && r.left >= 0 && r.top >= 0 && r.right <= width && r.bottom <= height;
		const scrolls = (e) => e && e !== document.body && (/auto|scroll|hidden/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
		const wider = [...document.querySelectorAll("body *")].filter((e) => {
			const r = e.getBoundingClientRect();
			return r.right > width + 0.5 && r.left < width && e.checkVisibility({ opacityProperty: true }) && !scrolls(e.parentElement);
		}).map((e) => e.className);
		if (document.documentElement.scrollWidth > width) wider.push("the page itself");
		const parts = [".graphiql-query-editor", ".graphiql-execute-button", ".graphiql-tab-active", '[data-name="headers"]', ".result-window",
			'[aria-label$="Documentation Explorer"]', '[aria-label="Open settings dialog"]'];
		const editor = one(".graphiql-query-editor .CodeMirror").CodeMirror, pane = one(".graphiql-query-editor").getBoundingClientRect();
		const end = editor.charCoords({ line: editor.lastLine(), ch: 0 }, "window"), start = editor.charCoords({ line: 0, ch: 0 }, "window");
		const size = editor.getScrollInfo();
		return {
			wider: wider.length ? wider : null,
			hidden: parts.filter((part) => !inside(one(part).getBoundingClientRect())).join(", "),
			everyLine: start.top >= pane.top && end.bottom <= pane.bottom && end.bottom <= height,
			wholeLines: size.width <= size.clientWidth,
			query: pane.height,
			answer: one(".result-window").getBoundingClientRect().height,
		};
	})()`)))(t)
	return m
}

// takePictures writes pictures of a product page, of the desk and of a mail to docs, if asked to.
// It must be called before anything is written to the demo, so that the pictures show the README's answer.
func takePictures(t *testing.T, url string) {
	t.Helper()
	if !*screenshots {
		return
	}
	ctx := browser.New(t)
	take := func(name string, width, height int64) {
		resize(t, ctx, chromedp.EmulateViewport(width, height))
		png := testkit.Value(chromedp.Run(ctx, chromedp.CaptureScreenshot()))(t)
		testkit.Must(t, os.WriteFile(fmt.Sprintf("../../docs/%s-%d.png", name, width), png, 0o644))
	}
	for width, height := range map[int64]int64{1280: 800, 390: 844} {
		resize(t, ctx, chromedp.EmulateViewport(width, height))
		testkit.Must(t, chromedp.Do(ctx, chromedp.Navigate(url+"/product/42"), chromedp.WaitVisible(chromedp.CSS("[data-vote]"))))
		testkit.Value(chromedp.Run(ctx, chromedp.Evaluate[bool](`(document.querySelector("#pr-title").scrollIntoView(), true)`)))(t)
		take("shop", width, 1150)
		testkit.Must(t, chromedp.Do(ctx, chromedp.Navigate(url+"/as/moderator/"), chromedp.Click(chromedp.CSS(`[action$="/staff"] button`)), chromedp.WaitVisible(chromedp.CSS(".st-writer li"))))
		take("desk", width, height)
	}
	var mail []string // in English
	waitUntil(t, "the demo has sent a mail", func() bool {
		mail = regexp.MustCompile(`src="([^"]+)" title="[^"]*guest1@`).FindStringSubmatch(get(t, url+"/as/moderator/outbox"))
		return mail != nil
	})
	resize(t, ctx, chromedp.EmulateViewport(1280, 800))
	testkit.Must(t, chromedp.Do(ctx, chromedp.Navigate(url+mail[1])))
	take("mail", 1280, 800)
}
