// Package messages lists what the program says to people in one golden file: errors and
// refusals with their codes, log lines, metrics' help, flags, and other sentences.
//
// messages.txt is made from the source. Refresh it with
//
//	go test ./internal/testing/messages -rewrite
//
// and read the difference: these are the sentences that clients and operators meet.
package messages

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

var rewrite = flag.Bool("rewrite", false, "write messages.txt instead of comparing with it")

const golden = "messages.txt"

// TestMessages compares messages.txt with the messages in the source.
func TestMessages(t *testing.T) {
	got := collect(t, "../../..").text()
	if *rewrite {
		testkit.Must(t, os.WriteFile(golden, []byte(got), 0o644))
		return
	}
	want := testkit.Value(os.ReadFile(golden))(t)
	missing, extra := difference(string(want), got), difference(got, string(want))
	if len(missing)+len(extra) > 0 || got != string(want) {
		t.Errorf("%s is not up to date: run go test ./internal/testing/messages -rewrite and read the difference\nonly in the file:\n%s\nonly in the source:\n%s",
			golden, strings.Join(missing, "\n"), strings.Join(extra, "\n"))
	}
}

// TestKinds holds the extractor: each way to make a message is found, with its code.
func TestKinds(t *testing.T) {
	got := collect(t, "testdata").text()
	want := `## Errors and refusals

testdata/example
  BAD_USER_INPUT %q: it has %d bytes
  BAD_USER_INPUT rating: it is %d, 1 to 5 is wanted
  CONFLICT the comment has version %d, not %d
  another %w
  no table: create one
  too_long the token has %d bytes

## Log lines

testdata/example
  ERROR a page failed
  WARN DynamoDB throttles requests

## Metrics

testdata/example
  Cached pages.
  pages_total: Pages that were read.

## Flags and help

testdata/example
  -- The address to listen on.
  Comments on products.

## Other sentences

testdata/example
  %s is given in place of %s
`
	testkit.Check(t, got == want, "got\n%s\nwant\n%s", got, want)
}

// kind is a section of the golden file.
type kind string

const (
	errorKind  kind = "Errors and refusals"
	logKind    kind = "Log lines"
	metricKind kind = "Metrics"
	flagKind   kind = "Flags and help"
	otherKind  kind = "Other sentences"
)

// catalogue has the messages by kind and package.
type catalogue map[kind]map[string]map[string]bool

// A message has words; formats that only join others have none.
var (
	verbs = regexp.MustCompile(`%(?:\[\d\])?[.\d]*[a-zA-Z]|\{…\}|BAD_USER_INPUT|UNAVAILABLE`)
	words = regexp.MustCompile(`[A-Za-z]{2}`)
)

func (c catalogue) add(k kind, pkg, message string) {
	if c[k] == nil {
		c[k] = map[string]map[string]bool{}
	}
	if c[k][pkg] == nil {
		c[k][pkg] = map[string]bool{}
	}
	if words.MatchString(verbs.ReplaceAllString(message, "")) {
		c[k][pkg][strings.Join(strings.Fields(message), " ")] = true
	}
}

func (c catalogue) text() string {
	var sections []string
	for _, k := range []kind{errorKind, logKind, metricKind, flagKind, otherKind} {
		section := "## " + string(k) + "\n"
		for _, pkg := range slices.Sorted(maps.Keys(c[k])) {
			section += "\n" + pkg + "\n"
			for _, message := range slices.Sorted(maps.Keys(c[k][pkg])) {
				section += "  " + message + "\n"
			}
		}
		sections = append(sections, section)
	}
	return strings.Join(sections, "\n")
}

// excluded are packages that serve tests and measurements only, and dynamo, whose sentences are DynamoDB's.
var excluded = regexp.MustCompile(`^(tools|deploy|internal/(testing|engine/dynamo)|store/(simulation|storetest))(/|$)|(^|/)testdata(/|$)|^docs/`)

// source is one parsed file and the folder that it is in.
type source struct {
	pkg  string
	file *ast.File
}

// collect returns the messages of all packages below root.
func collect(t *testing.T, root string) catalogue {
	t.Helper()
	var sources []source
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(below))
		switch {
		case entry.IsDir() && (entry.Name() == "node_modules" || below != "." && strings.HasPrefix(entry.Name(), ".") || root == "../../.." && excluded.MatchString(filepath.ToSlash(below))):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if root == "testdata" {
			pkg = "testdata/" + pkg
		}
		if !ast.IsGenerated(file) {
			sources = append(sources, source{pkg, file})
		}
		return nil
	})
	testkit.Must(t, err)
	x := extractor{catalogue: catalogue{}, functions: maps.Clone(known), codes: map[string]string{}}
	for _, s := range sources {
		x.declare(s)
	}
	for _, s := range sources {
		x.extract(s)
	}
	return x.catalogue
}

// A sentence has three words or more; expressions of DynamoDB, headers and formats of
// programs have none.
var (
	sentence   = regexp.MustCompile(`(?:^|[\s(,"'])[A-Za-z][a-z']*[,:;]?\s+(?:[A-Za-z%][\w'-]*[,:;]?\s+)+[a-z%][\w'-]*`)
	expression = regexp.MustCompile(`attribute_(?:not_)?exists|^SET |^REMOVE |^ADD |<\w+|:\w+ (?:AND|OR)|#\w|^\w+=|@\w+\(|^(?:query|mutation|subscription)\b`)
)

// difference returns the lines of one text that another has not.
func difference(of, without string) (lines []string) {
	has := map[string]bool{}
	for line := range strings.Lines(without) {
		has[line] = true
	}
	for line := range strings.Lines(of) {
		if !has[line] {
			lines = append(lines, fmt.Sprintf("  %s", strings.TrimSpace(line)))
		}
	}
	return lines
}
