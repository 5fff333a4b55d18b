package command

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/browser"
	"product-comments/internal/httpapi"

	"github.com/chromedp/chromedp"
)

var screenshots = flag.Bool("screenshots", false, "write docs/playground-*.png, which the README shows")

// useTheDemo uses the playground of the demo as a newcomer does: in a window on a
// desk, and on a telephone.
func useTheDemo(t *testing.T, address string) {
	ctx := browser.New(t)
	t.Run("at a desk", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(1280, 800))
		query, err := browser.OpenPlayground(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		if query != httpapi.ExampleQuery {
			t.Errorf("the first visit shows %s", query)
		}
		if title, err := chromedp.Run(ctx, chromedp.Title()); err != nil || title != "Product comments" {
			t.Errorf("the title is %q, %v", title, err)
		}
		if m := measure(t, ctx); m.Hidden != "" || m.Wider != nil || !m.EveryLine || !m.WholeLines {
			t.Errorf("at 1280 by 800: %+v", m)
		}
		useTabs(t, ctx)
		if _, err := browser.ShowTab(ctx, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := browser.RunQuery(ctx); err != nil {
			t.Fatal(err)
		}
		shoot(t, ctx, "playground-1280")
	})
	t.Run("on a telephone", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
		result, err := browser.RunPlaygroundQuery(ctx, address)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(result, `"title"`) {
			t.Errorf("the result pane shows %s", result)
		}
		m := measure(t, ctx)
		if m.Hidden != "" || m.Wider != nil {
			t.Errorf("at 390 by 844: %+v", m)
		}
		if m.Query < 200 || m.Answer < 200 {
			t.Errorf("the query is %g pixels high, the answer %g", m.Query, m.Answer)
		}
		shoot(t, ctx, "playground-390")
		const docs = `.graphiql-doc-explorer`
		err = chromedp.Do(ctx, chromedp.Click(chromedp.CSS(`[aria-label="Show Documentation Explorer"]`)), chromedp.WaitVisible(chromedp.CSS(docs)))
		if err != nil {
			t.Fatal(err)
		}
		width, err := chromedp.Run(ctx, chromedp.Evaluate[float64](`document.querySelector("`+docs+`").getBoundingClientRect().width`))
		if m := measure(t, ctx); err != nil || m.Wider != nil || width < 300 {
			t.Errorf("the documentation is %g pixels wide, %v: %+v", width, err, m)
		}
	})
	t.Run("another time", func(t *testing.T) {
		resize(t, ctx, chromedp.EmulateViewport(1280, 800))
		comeBack(t, ctx, address, "Queue", `"statusReason"`)
	})
	if outside := browser.Outside(ctx, address); len(outside) > 0 {
		t.Errorf("the page asked %q", outside)
	}
	if problems := browser.Problems(ctx); len(problems) > 0 {
		t.Errorf("the page complains: %q", problems)
	}
}

// useTabs runs what each tab has.
func useTabs(t *testing.T, ctx context.Context) {
	t.Helper()
	names, err := browser.Tabs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"NewestComments", "NextPage", "Filters", "Grid", "MostHelpful", "Table", "Statistics", "WriteComment", "Plan", "Orders", "OpenOrders", "Deliver", "Queue", "Decide"}; !slices.Equal(names, want) {
		t.Fatalf("the tabs are %q, want %q", names, want)
	}
	for i, want := range []string{
		`"hasNextPage": true`, `"hasPreviousPage": true`, `"language": "de"`, `"totalCount": 473`, `"helpfulCount": 58`, `"value": "20`, `"averageRating": 4`, `"commentId": "`, `"lines": [`,
		`"verifiedPurchase": true`, `"placedAt": "2026`, `"status": "DELIVERED"`, `"statusReason": "it has a link"`, `"by": "mia"`,
	} {
		query, err := browser.ShowTab(ctx, i)
		if err != nil {
			t.Fatal(err)
		}
		if m := measure(t, ctx); !m.EveryLine || m.Wider != nil || m.Hidden != "" {
			t.Errorf("not all of %s is seen: %+v", names[i], m)
		}
		result, err := browser.RunQuery(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(result, want) || strings.Contains(result, `"errors"`) || strings.Contains(result, `\n  `) {
			t.Errorf("%s:\n%s\nis answered\n%s\nwithout %s", names[i], query, result, want)
		}
	}
}

// comeBack opens the playground with a tab in front, and again. It has its role's token
// then, and when another tab was in front meanwhile.
func comeBack(t *testing.T, ctx context.Context, address, name, want string) {
	t.Helper()
	names, err := browser.Tabs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	tab := slices.Index(names, name)
	if _, err := browser.ShowTab(ctx, tab); err != nil {
		t.Fatal(err)
	}
	kept := fmt.Sprintf(`localStorage.getItem("product-comments:graphiql:query")?.includes(" %s {")`, name)
	if err := chromedp.Do(ctx, chromedp.Poll[chromedp.Void](kept)); err != nil {
		t.Fatal(err)
	}
	result, err := browser.RunPlaygroundQuery(ctx, address)
	if err != nil || !strings.Contains(result, want) {
		t.Errorf("at once: %s, %v", result, err)
	}
	for _, tab := range []int{0, tab} {
		if _, err := browser.ShowTab(ctx, tab); err != nil {
			t.Fatal(err)
		}
		result, err = browser.RunQuery(ctx)
	}
	if err != nil || !strings.Contains(result, want) {
		t.Errorf("after another tab: %s, %v", result, err)
	}
	if again, err := browser.Tabs(ctx); err != nil || !slices.Equal(again, names) {
		t.Errorf("the tabs are %q, %v", again, err)
	}
}

// resize sets the size of the window.
func resize(t *testing.T, ctx context.Context, size chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, size); err != nil {
		t.Fatal(err)
	}
}

// measured is what of the page is where, in pixels.
type measured struct {
	Wider         []string // elements in sight that end beyond the window's edge, unless they are in one that scrolls by itself
	Hidden        string   // what one needs and does not see
	EveryLine     bool     // the first and the last line of the query are seen
	WholeLines    bool     // no line of it goes on beyond the editor's edge
	Query, Answer float64  // heights
}

func measure(t *testing.T, ctx context.Context) (m measured) {
	t.Helper()
	m, err := chromedp.Run(ctx, chromedp.Evaluate[measured](`(() => {
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
	})()`))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// shoot writes what the window shows to docs, if asked to.
func shoot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	if !*screenshots {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile("../../docs/"+name+".png", png, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
