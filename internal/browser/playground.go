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

// failed adds what the page complained about, which is mostly the cause.
func failed(ctx context.Context, what string, err error) error {
	if p := Problems(ctx); len(p) > 0 {
		return fmt.Errorf("%s: %w; the page reported %q", what, err, p)
	}
	return fmt.Errorf("%s: %w", what, err)
}
