package browser

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"product-comments/internal/testing/testkit"
	"product-comments/internal/testing/testkit/manual"
)

// Tab is a page of a server that a test uses in a browser. It fails the test if the page does not
// do what it should.
type Tab struct {
	testing.TB
	Ctx context.Context
	URL string // of the server
}

// Open starts a browser for the pages of a server.
func Open(t testing.TB, url string) Tab {
	t.Helper()
	return Tab{t, New(t), url}
}

// Show loads the page at a path, also if only its fragment differs from the page before.
func (b Tab) Show(path string) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(b.URL+path)))
}

// Wait waits until an expression is true of the page, whichever it is by then.
func (b Tab) Wait(expression string) {
	b.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if is, err := chromedp.Run(b.Ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && is {
			return
		}
	}
	body, err := chromedp.Run(b.Ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
	b.Fatalf("%s: %v\n%.3000s\n%q", expression, err, body, Problems(b.Ctx))
}

// Do executes statements.
func (b Tab) Do(statements string) {
	b.Helper()
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.Evaluate[chromedp.Void]("{"+statements+"}", chromedp.EvalAwaitPromise)))
}

// Value returns the value of an expression, or of its promise.
func Value[T any](b Tab, expression string) T {
	b.Helper()
	return testkit.Value(chromedp.Run(b.Ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise)))(b)
}

// Accessible checks that axe-core finds nothing by WCAG 2.2 A and AA, and that the page is not wider
// than its window, at a width.
func (b Tab) Accessible(what string, width int64) {
	b.Helper()
	axe, err := os.ReadFile(manual.Root(b) + "/web/node_modules/axe-core/axe.min.js")
	testkit.Need(b, err == nil, "this test needs axe-core: run `make tools` first: %v", err)
	testkit.Must(b, chromedp.Do(b.Ctx, chromedp.EmulateViewport(width, 900)))
	found := Value[[]string](b, string(axe)+`;
		axe.run({ resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then(({ violations }) =>
			violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.html.slice(0, 200) + " " + n.failureSummary)))`)
	testkit.Check(b, len(found) == 0, "%s at %d: %q", what, width, found)
	wide := Value[int](b, `document.documentElement.scrollWidth`)
	testkit.Check(b, wide <= int(width), "%s at %d: it is %d wide", what, width, wide)
}

// Quiet checks that the page asked no other server, and that it has no problems but expected ones.
func (b Tab) Quiet(expected ...func(problem string) bool) {
	b.Helper()
	problems := slices.DeleteFunc(Problems(b.Ctx), func(p string) bool {
		return slices.ContainsFunc(expected, func(is func(string) bool) bool { return is(p) })
	})
	testkit.Check(b, len(problems) == 0, "the page has problems: %q", problems)
	outside := Outside(b.Ctx, b.URL)
	testkit.Check(b, len(outside) == 0, "the page asked other servers: %q", outside)
}
