// Package manual compares generated parts of the pages in docs, and golden files, with the code. A
// test generates a part, compares it with the page and, with -rewrite, writes it.
package manual

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

var rewrite = flag.Bool("rewrite", false, "write the generated parts of pages, and golden files")

// end is the line after every generated part.
const end = "<!-- end -->\n"

// Generated compares a part of a page in docs with generated text. The part is the lines between
// "<!-- generated: PART -->" and "<!-- end -->".
func Generated(t *testing.T, name, part, want string) {
	t.Helper()
	Compared(t, name, part, want, func(got, want string) bool { return got == want })
}

// Compared is Generated with another comparison.
func Compared(t *testing.T, name, part, want string, same func(got, want string) bool) {
	t.Helper()
	file := filepath.Join(Root(t), "docs", name)
	text := string(testkit.Value(os.ReadFile(file))(t))
	begin := "<!-- generated: " + part + " -->\n"
	before, rest, found := strings.Cut(text, begin)
	got, after, ended := strings.Cut(rest, end)
	testkit.Need(t, found && ended, "docs/%s has no part %q", name, part)
	want = "\n" + strings.TrimSpace(want) + "\n\n"
	switch {
	case *rewrite:
		testkit.Must(t, os.WriteFile(file, []byte(before+begin+want+end+after), 0o644))
	case !same(got, want):
		t.Errorf("docs/%s: the part %q is not what the code says: run this test with -rewrite and read what changed; it should be%s", name, part, want)
	}
}

// File is Generated for a whole file, at a path from the test's folder.
func File(t *testing.T, path, want string) {
	t.Helper()
	if *rewrite {
		testkit.Must(t, os.WriteFile(path, []byte(want), 0o644))
	}
	if got := string(testkit.Value(os.ReadFile(path))(t)); got != want {
		t.Errorf("%s is not what the code says: run this test with -rewrite and read what changed; it should be\n%s", path, want)
	}
}

// Table formats a Markdown table. A vertical bar in a cell must be escaped.
func Table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	b.WriteString("|" + strings.Repeat(" --- |", len(head)) + "\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

// Constants returns a row for each string constant of a Go file: its value as code, and its
// comment without the constant's name and full stop.
func Constants(t *testing.T, file string) (rows [][]string) {
	t.Helper()
	parsed := testkit.Value(parser.ParseFile(token.NewFileSet(), filepath.Join(Root(t), file), nil,
		parser.ParseComments))(t)
	for _, d := range parsed.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST || !g.Lparen.IsValid() {
			continue
		}
		for _, s := range g.Specs {
			c := s.(*ast.ValueSpec)
			literal, ok := c.Values[0].(*ast.BasicLit)
			testkit.Need(t, ok && literal.Kind == token.STRING, "%s: %s is no string", file, c.Names[0])
			value := testkit.Value(strconv.Unquote(literal.Value))(t)
			comment := strings.Join(strings.Fields(c.Doc.Text()+" "+c.Comment.Text()), " ")
			rows = append(rows, []string{"`" + value + "`", strings.TrimSuffix(strings.TrimPrefix(comment, c.Names[0].Name+": "), ".")})
		}
	}
	testkit.Need(t, len(rows) > 0, "%s has no constants", file)
	return rows
}

// Root returns the directory of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir := testkit.Value(os.Getwd())(t)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		testkit.Need(t, parent != dir, "no go.mod above the test")
		dir = parent
	}
}
