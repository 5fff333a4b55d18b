package playground

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"product-comments/internal/testing/browser"
	"product-comments/internal/testing/testkit"

	"github.com/chromedp/chromedp"
)

func TestMain(m *testing.M) { os.Exit(browser.Main{M: m}.Run()) }

// introspection describes a schema with the one field hello.
//
//go:embed testdata/introspection.json
var introspection []byte

const (
	helloQuery  = "query Hello {\n  hello # < & \"\n}\n"
	helloAnswer = `{"data":{"hello":"good day"}}`
)

// standIn is just enough of a GraphQL server: it answers introspection, and
// every other query alike. What it was sent is kept.
type standIn struct {
	answer string

	mu   sync.Mutex
	sent []string // queries, introspection left out
	bad  []string // what no GraphQL server would have to accept
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ Query, OperationName string }
	err := json.NewDecoder(r.Body).Decode(&in)

	s.mu.Lock()
	defer s.mu.Unlock()
	const responseType = "application/graphql-response+json"
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || r.Method != "POST" || t != "application/json" {
		s.bad = append(s.bad, fmt.Sprintf("%s, %s, %v", r.Method, t, err))
	}
	if a := r.Header.Get("Accept"); !strings.HasPrefix(a, responseType) {
		s.bad = append(s.bad, "Accept: "+a)
	}

	w.Header().Set("Content-Type", responseType)
	if in.OperationName == "IntrospectionQuery" {
		_, _ = w.Write(introspection)
		return
	}
	s.sent = append(s.sent, in.Query)
	fmt.Fprint(w, s.answer)
}

// serve starts the playground, with the assets of this build, next to a
// stand-in for the API.
func serve(t *testing.T) (address string, api *standIn) {
	t.Helper()
	return serveTabs(t, helloAnswer, helloQuery)
}

// serveTabs is serve with the given queries and what each is answered.
func serveTabs(t *testing.T, answer string, queries ...string) (address string, api *standIn) {
	t.Helper()
	res := request(t, assetFiles, "GET", "/")
	testkit.Need(t, res.StatusCode == http.StatusOK, "this test needs GraphiQL and React: run `make playground` first")
	api = &standIn{answer: answer}
	mux := http.NewServeMux()
	mux.Handle("/graphql", api)
	mux.Handle("/", Handler("/graphql", tabsOf(queries...), ""))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv.URL + "/", api
}

// The first tab shows its answer on each visit that it is in front, until its query is another
// one, and so a newcomer sees what the query is for.
func TestTheFirstTabRunsOnLoad(t *testing.T) {
	ctx := browser.New(t)
	address, api := serveTabs(t, helloAnswer, helloQuery, "mutation Second {\n  hello\n}\n")
	visit := func(want string, sent int) {
		t.Helper()
		testkit.Value(browser.OpenPlayground(ctx, address))(t)
		got := testkit.Value(browser.Result(ctx))(t)
		api.mu.Lock()
		defer api.mu.Unlock()
		testkit.Check(t, got == want && len(api.sent) == sent, "the answer is %q after %q, want %q", got, api.sent, want)
	}
	const shown = "{\n  \"data\": {\n    \"hello\": \"good day\"\n  }\n}"
	visit(shown, 1)
	visit(shown, 2)
	testkit.Value(browser.ShowTab(ctx, 1))(t)
	testkit.Must(t, chromedp.Do(ctx, chromedp.Poll[chromedp.Void](`/"activeTabIndex":1\b/.test(localStorage.getItem("product-comments:graphiql:tabState"))`)))
	visit("", 2)
}

// The tab of the next page has the cursor that the first query is answered; where
// there is none, it says what belongs there.
func TestNextPageHasTheCursor(t *testing.T) {
	ctx := browser.New(t)
	const next = "query Next {\n  hello # after <endCursor>\n}\n"
	for answer, want := range map[string]string{
		`{"data":{"pageInfo":{"endCursor":"AbC_-1"},"other":{"endCursor":"no"}}}`: strings.Replace(next, EndCursor, "AbC_-1", 1),
		helloAnswer: next,
		`{"data":{"pageInfo":{"endCursor":null}}}`: next,
	} {
		address, api := serveTabs(t, answer, helloQuery, next)
		testkit.Value(browser.OpenPlayground(ctx, address))(t)
		names, err := browser.Tabs(ctx)
		testkit.Check(t, err == nil && slices.Equal(names, []string{"Hello", "Next"}), "the tabs are %q, %v", names, err)
		query, err := browser.ShowTab(ctx, 1)
		testkit.Check(t, err == nil && query == want, "after %s the second tab has %q, %v, want %q", answer, query, err, want)
		api.mu.Lock()
		testkit.Check(t, len(api.sent) == 1 && api.sent[0] == helloQuery && len(api.bad) == 0, "the API was sent %q, with %q", api.sent, api.bad)
		api.mu.Unlock()
	}
}

// Every part of GraphiQL that brings its own styles, fonts or pictures is
// opened once, so that a policy too strict for it shows.
func TestPolicyAllowsAllOfGraphiQL(t *testing.T) {
	address, _ := serve(t)
	ctx := browser.New(t)
	testkit.Value(browser.OpenPlayground(ctx, address))(t)

	type steps = []chromedp.Action[chromedp.Void]
	for _, part := range []struct {
		name string
		do   steps
	}{
		{"documentation", steps{click(`[aria-label="Show Documentation Explorer"]`), visible(`.graphiql-doc-explorer`)}},
		{"history", steps{click(`[aria-label="Show History"]`), visible(`.graphiql-history`)}},
		{"shortcuts", steps{click(`[data-value="short-keys"]`), visible(`.graphiql-dialog`), closeDialog()}},
		{"settings", steps{click(`[data-value="settings"]`), visible(`.graphiql-dialog`), closeDialog()}},
		{"variables", steps{click(`[data-name="variables"]`), visible(`[aria-label="Variables"] .CodeMirror`)}},
		{"second tab", steps{click(`.graphiql-tab-add`), visible(`.graphiql-tab + .graphiql-tab`)}},
		{"lint", steps{setQuery("{ unknown }"), visible(`.CodeMirror-lint-mark-error`), hoverLint(), visible(`.CodeMirror-lint-message-error`)}},
		{"completion", steps{setQuery(""), chromedp.KeyEvent("{ h"), visible(`.CodeMirror-hints`)}},
		{"choice of operations", steps{
			setQuery("query A { hello } query B { hello }"), click(`.graphiql-execute-button[aria-haspopup]`), visible(`.graphiql-dropdown-item`),
		}},
	} {
		if err := chromedp.Do(ctx, part.do...); err != nil {
			t.Fatalf("%s: %v; the page reported %q", part.name, err, browser.Problems(ctx))
		}
	}
	checkQuiet(t, ctx, address)
}

// checkQuiet fails the test when the page asked anybody but its server, or had
// anything to complain about, such as a violation of its policy.
func checkQuiet(t *testing.T, ctx context.Context, address string) {
	t.Helper()
	urls := browser.Outside(ctx, address)
	testkit.Check(t, len(urls) == 0, "the page asked outside its server: %q", urls)
	// A dialog of GraphiQL's lacks a description for screen readers, and says so.
	p := slices.DeleteFunc(browser.Problems(ctx), func(line string) bool {
		return strings.Contains(line, "Missing `Description`")
	})
	testkit.Check(t, len(p) == 0, "the page complains:\n%s", strings.Join(p, "\n"))
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

func visible(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.WaitVisible(chromedp.CSS(selector))
}

func closeDialog() chromedp.Action[chromedp.Void] {
	return chromedp.Steps(click(`.graphiql-dialog-close`), chromedp.WaitNotPresent(chromedp.CSS(`.graphiql-dialog`)))
}

// setQuery replaces what is in the query editor and puts the cursor there.
func setQuery(query string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`{
		const editor = document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror;
		editor.setValue(%q);
		editor.focus();
	}`, query))
}

// hoverLint points at the first thing that the query editor has underlined,
// which makes it say what is wrong.
func hoverLint() chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](`document.querySelector(".CodeMirror-lint-mark-error").
		dispatchEvent(new MouseEvent("mouseover", { bubbles: true }))`)
}
