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

	// The button is disabled while the schema is fetched. A failed fetch writes to the result
	// pane, so a query has to wait for the end of the fetch.
	schemaButton = `document.querySelector('button[aria-label="Re-fetch GraphQL schema"]')`
)

// OpenPlayground opens the GraphiQL at the address, waits until its query can be run, and returns
// the query.
func OpenPlayground(ctx context.Context, address string) (query string, err error) {
	if err := chromedp.Do(ctx, chromedp.Navigate(address), chromedp.WaitVisible(chromedp.CSS(runButton))); err != nil {
		return "", failed(ctx, "open the playground", err)
	}
	// The editors render visible lines only, so the text is read from the editor, not from the
	// page.
	query, err = chromedp.Run(ctx, chromedp.Poll[string](
		resultPane+` && `+schemaButton+`?.disabled === false && `+queryPane+`?.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the playground's query", err)
	}
	return query, nil
}

// RunPlaygroundQuery opens the GraphiQL at the address, runs its query, and returns the text of
// the result pane. The query must have exactly one operation: with more, the button opens a menu.
func RunPlaygroundQuery(ctx context.Context, address string) (result string, err error) {
	if _, err := OpenPlayground(ctx, address); err != nil {
		return "", err
	}
	return RunQuery(ctx)
}

// RunQuery is RunPlaygroundQuery for the open playground.
func RunQuery(ctx context.Context) (result string, err error) {
	if err := chromedp.Do(ctx, chromedp.Click(chromedp.CSS(runButton))); err != nil {
		return "", failed(ctx, "press the playground's button", err)
	}
	// Pressing the button clears the pane at once.
	result, err = chromedp.Run(ctx, chromedp.Poll[string](resultPane+`.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the playground's result", err)
	}
	return result, nil
}

// Result returns the text of the open playground's result pane.
func Result(ctx context.Context) (result string, err error) {
	result, err = chromedp.Run(ctx, chromedp.Evaluate[string](resultPane+`.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "read the playground's result", err)
	}
	return result, nil
}

// Tabs returns the names of the open playground's tabs, from left to right.
func Tabs(ctx context.Context) (names []string, err error) {
	names, err = chromedp.Run(ctx, chromedp.Evaluate[[]string](
		`[...document.querySelectorAll(".graphiql-tab-button")].map((tab) => tab.textContent)`))
	if err != nil {
		return nil, failed(ctx, "read the playground's tabs", err)
	}
	return names, nil
}

// typed waits until GraphiQL has saved what was typed into a tab. It saves after 100 ms, the tab
// that is active then. Timers of a page run in order, so the wait is long enough at any speed.
var typed = chromedp.Evaluate[chromedp.Void](`new Promise((resolve) => setTimeout(resolve, 200))`,
	chromedp.EvalAwaitPromise)

// ShowTab activates tab n of the open playground, counted from 0, waits until its query can be
// run, and returns the query, an operation with a name.
func ShowTab(ctx context.Context, n int) (query string, err error) {
	tab := fmt.Sprintf("#graphiql-session-tab-%d", n)
	if err := chromedp.Do(ctx, typed, chromedp.Click(chromedp.CSS(tab)), chromedp.WaitVisible(chromedp.CSS(".graphiql-tab-active "+tab))); err != nil {
		return "", failed(ctx, "show another tab of the playground", err)
	}
	// GraphiQL determines the operation shortly after it shows the query.
	query, err = chromedp.Run(ctx, chromedp.Poll[string](queryPane+`.CodeMirror.operationName === `+
		`document.querySelector(".graphiql-tab-active .graphiql-tab-button").textContent && `+queryPane+`.CodeMirror.getValue()`))
	if err != nil {
		return "", failed(ctx, "wait for the query of a tab", err)
	}
	return query, nil
}

// failed adds the page's problems to an error, because they are usually the cause.
func failed(ctx context.Context, what string, err error) error {
	if p := Problems(ctx); len(p) > 0 {
		return fmt.Errorf("%s: %w; the page reported %q", what, err, p)
	}
	return fmt.Errorf("%s: %w", what, err)
}
