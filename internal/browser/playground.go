package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/chromedp"
)

const (
	runButton  = `button.graphiql-execute-button`
	queryPane  = `document.querySelector(".graphiql-query-editor .CodeMirror")`
	resultPane = `document.querySelector(".result-window .CodeMirror")`

	// The button is off while the schema is being fetched. A fetch that fails
	// writes to the result pane, so a query has to wait for its end.
	schemaButton = `document.querySelector('button[aria-label="Re-fetch GraphQL schema"]')`
)

// OpenPlayground opens the GraphiQL at the address and returns the query that
// it shows, once it can be run.
func OpenPlayground(ctx context.Context, address string) (query string, err error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(runButton))); err != nil {
		return "", failed(ctx, "open the playground", err)
	}
	// The editors keep only the visible lines in the document, so their text is
	// asked of the editor and not read from the page.
	query, err = chromedp.Run(ctx, chromedp.Poll[string](
		resultPane+` && `+schemaButton+`?.disabled === false && `+queryPane+`?.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the playground's query", err)
	}
	return query, nil
}

// RunPlaygroundQuery opens the GraphiQL at the address, presses its button to
// run the query that it shows, and returns the text of the result pane. The
// query must hold exactly one operation: with more, the button opens a menu.
func RunPlaygroundQuery(ctx context.Context, address string) (result string, err error) {
	if _, err := OpenPlayground(ctx, address); err != nil {
		return "", err
	}
	return RunQuery(ctx)
}

// RunQuery is RunPlaygroundQuery for the playground that is open.
func RunQuery(ctx context.Context) (result string, err error) {
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(runButton))); err != nil {
		return "", failed(ctx, "press the playground's button", err)
	}
	// Pressing the button empties the pane at once.
	result, err = chromedp.Run(ctx, chromedp.Poll[string](resultPane+`.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the playground's result", err)
	}
	return result, nil
}

// Tabs returns the names of the tabs of the playground that is open, from left to right.
func Tabs(ctx context.Context) (names []string, err error) {
	names, err = chromedp.Run(ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll(".graphiql-tab-button")].map((tab) => tab.textContent)`))
	if err != nil {
		return nil, failed(ctx, "read the playground's tabs", err)
	}
	return names, nil
}

// typed waits until GraphiQL has kept what was typed into a tab. It does so 100 ms later,
// and for the tab that is then in front. Timers of a page run in order, so the wait is
// long enough on a machine of any speed.
var typed = chromedp.Evaluate[chromedp.Void](`new Promise((resolve) => setTimeout(resolve, 200))`, chromedp.EvalAwaitPromise)

// ShowTab brings a tab of the playground that is open to the front, counted from 0,
// and returns its query, an operation with a name, once it can be run.
func ShowTab(ctx context.Context, n int) (query string, err error) {
	tab := fmt.Sprintf("#graphiql-session-tab-%d", n)
	if err := chromedp.Do(ctx, typed, chromedp.Click(chromedp.CSS(tab)), chromedp.WaitVisible(chromedp.CSS(".graphiql-tab-active "+tab))); err != nil {
		return "", failed(ctx, "show another tab of the playground", err)
	}
	// The operation that the button runs is found a moment after the query is there.
	query, err = chromedp.Run(ctx, chromedp.Poll[string](queryPane+`.CodeMirror.operationName === `+
		`document.querySelector(".graphiql-tab-active .graphiql-tab-button").textContent && `+queryPane+`.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the query of a tab", err)
	}
	return query, nil
}

// failed adds what the page complained about, which is mostly the cause.
func failed(ctx context.Context, what string, err error) error {
	if p := Problems(ctx); len(p) > 0 {
		return fmt.Errorf("%s: %w; the page reported %q", what, err, p)
	}
	return fmt.Errorf("%s: %w", what, err)
}
