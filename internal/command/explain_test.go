package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// figures are what an explanation says in numbers: they follow the planner and
// the engine, the rest does not.
var figures = regexp.MustCompile(`\b(first |about )?[0-9]+(\.[0-9]+)?( items?| read units?| quer(y|ies)| round trips?| shown)?\b`)

// masked is an explanation with N in the place of its figures.
func masked(text string) string {
	return figures.ReplaceAllStringFunc(text, func(found string) string {
		m := figures.FindStringSubmatch(found)
		if m[1] == "" && m[3] == "" { // a rating, a product
			return found
		}
		plural := strings.NewReplacer(" query", " queries", " round trip", " round trips", " item", " items")
		if strings.HasSuffix(m[3], "s") {
			plural = strings.NewReplacer()
		}
		return m[1] + "N" + plural.Replace(m[3])
	})
}

// Plans of a product whose comments fit into 4 KB, none of them rated 1 or 2,
// and of one that no one has commented on.
func TestExplainCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startServer(t, filepath.Join(dir, "data"))
	var file strings.Builder
	for i := range 9 {
		fmt.Fprintf(&file, `{"productId":"42","commentId":"c%d","rating":%d,"language":"en","createdAt":"2026-03-09T08:07:0%dZ"}`+"\n", i, 3+i%3, i)
	}
	wantRun(t, dir, file.String(), 0, "", "import", "-", "--data-dir=data")
	waitUntil(t, "the comments are counted", func() bool {
		return strings.Contains(s.query(t, `{product(id:"42"){stats{totalCount}}}`), `"totalCount":9`)
	})
	const (
		estimate = "├─ estimate: N read units, N queries in N round trips, N items too many\n"
		actual   = "├─ actual: N read units, N queries in N round trips, N items read and N shown\n"
		lookups  = "planning: N read units in N round trips, which a server caches for some seconds\n"
	)
	for _, c := range []struct {
		arguments, want string
		says            []string // figures
	}{
		{"--product=42", `single partition on all: no filter
├─ query GSI4PK = PRODUCT#42, first N: about N items of the page, N read units
└─ estimate: N read units, N queries in N round trips, N items too many
planning: read nothing
`, []string{"first 21:", "1.0 queries in 1.0 round trips"}},
		{"--product=42 --created-after=2026-03-09T08:07:03Z --created-before=2026-03-09T08:07:05Z --analyze", `single partition on all: no filter, created from 2026-03-09T08:07:03Z and before 2026-03-09T08:07:05Z
├─ query GSI4PK = PRODUCT#42, created from 2026-03-09T08:07:03Z and before 2026-03-09T08:07:05Z, first N: about N items of the page, N read units; actual N items, N read units in N queries
` + estimate + "└─" + strings.TrimPrefix(actual, "├─") + "planning: read nothing\n", []string{"; actual 2 items, 0.5 read units in 1 query\n"}},
		{"--product=42 --language=EN --ratings=5 --last=3 --analyze", `single partition on byLangAndRating: one language, one rating
├─ query GSIPK = PRODUCT#42/en/5, first N: about N items of the page, N read units; actual N items, N read units in N queries
` + estimate + "└─" + strings.TrimPrefix(actual, "├─") + "planning: read nothing\n", []string{"first 4:", "; actual 3 items, 0.5 read units in 1 query\n", "actual: 0.50 read units, 1 query in 1 round trip, 3 items read and 3 shown\n"}},
		{"--product=42 --language=en --ratings=5,4,1 --analyze", `filtered partition on byLang: one language, 3 ratings
├─ query GSI2PK = PRODUCT#42/en, only ratings 1,4,5, first N: about N items of the page, N read units; actual N items, N read units in N queries
├─ or, if it finds too little: merge
│  ├─ query GSIPK = PRODUCT#42/en/1, if the page needs it; not needed
│  ├─ query GSIPK = PRODUCT#42/en/4, if the page needs it; not needed
│  └─ query GSIPK = PRODUCT#42/en/5, if the page needs it; not needed
` + estimate + actual + `└─ not merge of partitions on byLangAndRating: N read units more (N read units, N queries in N round trips, N items too many)
` + lookups, []string{"; actual 9 items, 0.5 read units in 1 query\n", "actual: 0.50 read units, 1 query in 1 round trip, 9 items read and 6 shown\n"}},
		{"--product=42 --language=en,de --with-text --order=highest-rating --ratings=3,5", `concat of ranges on byRating: 2 languages, 2 ratings, with a text, by rating, descending
├─ rating 5: either
│  ├─ query GSI3PK = PRODUCT#42/5, only languages de,en, with a text, first N: about N items of the page, N read units
│  └─ or, if it finds too little: merge
│     ├─ query GSIPK = PRODUCT#42/de/5, only with a text, if the page needs it
│     └─ query GSIPK = PRODUCT#42/en/5, only with a text, if the page needs it
├─ rating 3: either
│  ├─ query GSI3PK = PRODUCT#42/3, only languages de,en, with a text, first N: about N items of the page, N read units
│  └─ or, if it finds too little: merge
│     ├─ query GSIPK = PRODUCT#42/de/3, only with a text, if the page needs it
│     └─ query GSIPK = PRODUCT#42/en/3, only with a text, if the page needs it
` + strings.Replace(estimate, "├─", "└─", 1) + lookups, nil},
		{"--product=42 --order=least-helpful --analyze", `concat of ranges on all: no filter, by helpful, ascending
├─ without a value: query GSI4PK = PRODUCT#42, first N: about N items of the page, N read units; actual N items, N read units in N queries
` + estimate + "└─" + strings.TrimPrefix(actual, "├─") + lookups, []string{"9 items read and 9 shown"}},
		{"--product=none --ratings=2,3 --first=0 --analyze", `merge of partitions on byRating: any language, 2 ratings
├─ query GSI3PK = PRODUCT#none/2, first N: about N items of the page, N read units; actual N items, N read units in N queries
├─ query GSI3PK = PRODUCT#none/3, first N: about N items of the page, N read units; actual N items, N read units in N queries
` + estimate + actual + `└─ not filtered partition on all: the sizes of the comments are not known
` + lookups, []string{"first 1:", "; actual 0 items, 0.5 read units in 1 query\n", "actual: 1.00 read units, 2 queries in 1 round trip, 0 items read and 0 shown\n"}},
	} {
		out := wantRun(t, dir, "", 0, "", append([]string{"explain", "--data-dir=data"}, strings.Fields(c.arguments)...)...)
		testkit.Equal(t, masked(out), c.want, "explain %s:\n%s\nwant", c.arguments, out)
		for _, said := range c.says {
			testkit.Check(t, strings.Contains(out, said), "explain %s: it does not say %q:\n%s", c.arguments, said, out)
		}
	}
	// Clients of this server may not ask.
	got := s.query(t, `{product(id:"42"){comments{plan{text}}}}`)
	testkit.Check(t, strings.Contains(got, `"plan":null`) && strings.Contains(got, "FORBIDDEN"), "without --explain: %s", got)
}

var (
	fenced   = regexp.MustCompile("(?ms)^```[a-z]*\n(.*?)^```$")
	shown    = regexp.MustCompile(`(?m)^(?:[A-Z_]+=\S+ )*(?:bin/)?product-comments (.+)$`)
	follows  = regexp.MustCompile(`\\\n\s*`)
	shellEnd = regexp.MustCompile(`\s(?:#|[|>&]|2>).*$`)
	word     = regexp.MustCompile(`"[^"]*"|'[^']*'|\S+`)
)

// The command line takes every command that a page shows in a block of its own.
func TestCommandsOfThePagesAreTaken(t *testing.T) {
	tried := 0
	for _, pattern := range []string{"../../*.md", "../../docs/*.md"} {
		for _, file := range testkit.Value(filepath.Glob(pattern))(t) {
			text := testkit.Value(os.ReadFile(file))(t)
			for _, block := range fenced.FindAllSubmatch(text, -1) {
				for _, m := range shown.FindAllStringSubmatch(follows.ReplaceAllString(string(block[1]), " "), -1) {
					var arguments []string
					for _, w := range word.FindAllString(shellEnd.ReplaceAllString(" "+m[1], ""), -1) {
						arguments = append(arguments, strings.Trim(w, `"'`))
					}
					tried++
					var c commands
					_, err := c.parser().Parse(arguments)
					testkit.Check(t, err == nil, "%s: %s: %v", filepath.Base(file), m[1], err)
				}
			}
		}
	}
	testkit.Check(t, tried >= 20, "the pages show %d commands", tried)
}
