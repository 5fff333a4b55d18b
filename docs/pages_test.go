package docs

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	notWord = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// anchors returns what links to a page can name.
func anchors(text string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
		all = append(all, strings.ReplaceAll(notWord.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return all
}

// pages returns the project's pages by their paths.
func pages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, pattern := range []string{"*.md", "../*.md", "../examples/*.md", "../clients/*/*.md"} {
		for _, file := range testkit.Value(filepath.Glob(pattern))(t) {
			found[testkit.Value(filepath.Abs(file))(t)] = string(testkit.Value(os.ReadFile(file))(t))
		}
	}
	testkit.Need(t, len(found) > 12, "%d pages", len(found))
	return found
}

// Every link of a page leads to a file, and to a heading if it names one.
func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	for name, text := range all {
		for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			to := testkit.Value(url.Parse(m[1]))(t)
			if to.Scheme != "" {
				continue
			}
			file := name
			if to.Path != "" {
				file = filepath.Join(filepath.Dir(name), to.Path)
			}
			_, err := os.Stat(file)
			testkit.Check(t, err == nil, "%s links to %s: %v", name, m[1], err)
			if to.Fragment != "" {
				testkit.Check(t, slices.Contains(anchors(all[file]), to.Fragment), "%s links to %s, which is no heading", name, m[1])
			}
		}
	}
}

// Staff are answered every query and mutation that a page shows without an error.
func TestQueriesOfThePagesAreAnswered(t *testing.T) {
	graphql := regexp.MustCompile("(?ms)^```graphql\n(.*?)^```$")
	tried := 0
	for name, text := range pages(t) {
		if filepath.Base(name) == "README.md" {
			continue // TestDemoAnswersAsTheREADMESays asks its queries of the demo
		}
		for _, m := range graphql.FindAllStringSubmatch(text, -1) {
			tried++
			s := apitest.Serve(t)
			staff := s.As(apitest.Mia)
			if strings.Contains(m[1], `attribute: "fit"`) {
				staff.Post(t, `mutation { defineAttributes(input: {productId: "42", definitions: [{key: "fit", type: NUMBER}]}) { definitions { key } } }`, nil)
				testkit.Must(t, s.Store.AttributeIndex().Backfill().Finish(t.Context(), "42", true, nil))
			}
			s.Fill(t, apitest.Comments(2)...)
			s.Project(t)
			a := staff.Post(t, m[1], map[string]any{"product": "42"})
			testkit.Check(t, len(a.Errors) == 0, "%s: %s\n%+v", name, m[1], a.Errors)
		}
	}
	testkit.Check(t, tried >= 3, "the pages show %d queries", tried)
}
