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
	"reflect"
	"regexp"
	"slices"
	"strconv"
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

// function is one whose argument is a message.
type function struct {
	kind kind
	at   int // index of the message among the arguments
}

// known are functions of other modules.
var known = map[string]function{
	"errors.New": {errorKind, 0}, "fmt.Errorf": {errorKind, 0}, "http.Error": {errorKind, 1},
	"gqlerror.Errorf": {errorKind, 0}, "gqlerror.ErrorLocf": {errorKind, 3},
	"prometheus.NewDesc": {metricKind, 1}, "kong.Description": {flagKind, 0},
}

// logged has the methods of slog.Logger.
var logged = map[string]string{"Debug": "DEBUG", "Info": "INFO", "Warn": "WARN", "Error": "ERROR"}

// levels are the arguments that say how a line is logged.
var levels = regexp.MustCompile(`^slog\.Level(\w+)$`)

type extractor struct {
	catalogue catalogue
	functions map[string]function
	codes     map[string]string // constants of the type errs.Code, by "errs.Name" and "Name"
}

// declare notes the tree's functions that have a parameter for a message: format or help.
// Within its package such a function is known by its name alone.
func (x extractor) declare(s source) {
	for _, decl := range s.file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok {
			at := 0
			for _, field := range f.Type.Params.List {
				for _, name := range field.Names {
					switch name.Name {
					case "format":
						x.functions[s.pkg+" "+f.Name.Name] = function{errorKind, at}
						x.functions[s.file.Name.Name+"."+f.Name.Name] = function{errorKind, at}
					case "help":
						x.functions[s.pkg+" "+f.Name.Name] = function{metricKind, at}
						x.functions["method "+f.Name.Name] = function{metricKind, at}
					}
					at++
				}
			}
		}
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				if name, ok := v.Type.(*ast.Ident); ok && name.Name == "Code" && len(v.Values) == 1 {
					if text, ok := literal(v.Values[0]); ok {
						x.codes[s.file.Name.Name+"."+v.Names[0].Name] = text
					}
				}
			}
		}
	}
}

// extract adds the messages of a file.
func (x extractor) extract(s source) {
	seen := map[ast.Expr]bool{} // literals that are accounted for
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			x.call(s, n, seen)
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == "Help" {
				if text, ok := literal(n.Value); ok {
					x.catalogue.add(metricKind, s.pkg, text)
					account(n.Value, seen)
				}
			}
		case *ast.Field:
			if n.Tag != nil {
				account(n.Tag, seen)
				x.tag(s, n.Tag)
			}
		case *ast.BinaryExpr:
			x.other(s, n, seen)
		case *ast.BasicLit:
			x.other(s, n, seen)
		}
		return true
	})
}

// call adds the message of a call, if it has one.
func (x extractor) call(s source, call *ast.CallExpr, seen map[ast.Expr]bool) {
	name, method := called(call.Fun)
	if level, ok := logged[method]; ok && len(call.Args) > 0 {
		x.log(s, level, call.Args[0], seen)
		return
	}
	if level, ok := logged[strings.TrimSuffix(method, "Context")]; ok && strings.HasSuffix(method, "Context") && len(call.Args) > 1 {
		x.log(s, level, call.Args[1], seen)
		return
	}
	if method == "LogAttrs" && len(call.Args) > 2 {
		level := "VARIES"
		if found := levels.FindStringSubmatch(render(call.Args[1])); found != nil {
			level = strings.ToUpper(found[1])
		}
		x.log(s, level, call.Args[2], seen)
		return
	}
	f, ok := x.functions[name]
	if !ok {
		f, ok = x.functions[s.pkg+" "+method]
	}
	if !ok {
		if f, ok = x.functions["method "+method]; !ok || f.kind != metricKind {
			return
		}
	}
	if f.at >= len(call.Args) {
		return
	}
	text, ok := literal(call.Args[f.at])
	if !ok {
		return
	}
	account(call.Args[f.at], seen)
	switch f.kind {
	case errorKind:
		text = x.prefix(call, name, f.at) + text
	case metricKind:
		if f.at > 0 {
			if metric, ok := literal(call.Args[f.at-1]); ok {
				text = metric + ": " + text
			}
		}
	}
	x.catalogue.add(f.kind, s.pkg, text)
}

// prefix returns what an error's call says before its sentence: the code, the field and
// the reason, where they are written there.
func (x extractor) prefix(call *ast.CallExpr, name string, at int) string {
	var words string
	if name == "errs.Invalid" || name == "errs.Exceeds" {
		words = "BAD_USER_INPUT "
	}
	for i, arg := range call.Args[:at] {
		if code, ok := x.codes[render(arg)]; ok {
			words += code + " "
			continue
		}
		if name == "errs.Invalid" && i == 0 {
			if field, ok := literal(arg); ok {
				words += field + ": "
			}
			continue
		}
		if text, ok := literal(arg); ok {
			words += text + " "
		}
	}
	return words
}

func (x extractor) log(s source, level string, arg ast.Expr, seen map[ast.Expr]bool) {
	if text, ok := literal(arg); ok && !seen[arg] {
		account(arg, seen)
		x.catalogue.add(logKind, s.pkg, level+" "+text)
	}
}

// tag adds the help that kong shows for a flag, an argument or a command.
func (x extractor) tag(s source, tag *ast.BasicLit) {
	raw, err := strconv.Unquote(tag.Value)
	if err != nil {
		return
	}
	if help := reflect.StructTag(raw).Get("help"); help != "" {
		x.catalogue.add(flagKind, s.pkg, "-- "+help)
	}
}

// A sentence has three words or more; expressions of DynamoDB, headers and formats of
// programs have none.
var (
	sentence   = regexp.MustCompile(`(?:^|[\s(,"'])[A-Za-z][a-z']*[,:;]?\s+(?:[A-Za-z%][\w'-]*[,:;]?\s+)+[a-z%][\w'-]*`)
	expression = regexp.MustCompile(`attribute_(?:not_)?exists|^SET |^REMOVE |^ADD |<\w+|:\w+ (?:AND|OR)|#\w|^\w+=|@\w+\(|^(?:query|mutation|subscription)\b`)
)

// statement matches SQL, which is no message.
var statement = regexp.MustCompile(`^(SELECT|INSERT|UPDATE|DELETE FROM|CREATE TABLE|PRAGMA) `)

// other adds a literal that is a sentence and that nothing else has accounted for.
func (x extractor) other(s source, e ast.Expr, seen map[ast.Expr]bool) {
	if seen[e] {
		return
	}
	text, ok := literal(e)
	if !ok {
		return
	}
	account(e, seen)
	if sentence.MatchString(text) && !expression.MatchString(text) && !statement.MatchString(text) && !strings.HasPrefix(text, "^") {
		x.catalogue.add(otherKind, s.pkg, text)
	}
}

// called returns the name of a called function, with its package where it has one, and
// the name without it.
func called(fun ast.Expr) (name, method string) {
	switch f := fun.(type) {
	case *ast.Ident:
		return f.Name, f.Name
	case *ast.SelectorExpr:
		return render(f), f.Sel.Name
	}
	return "", ""
}

// render returns an identifier or a selector as it is written, "" for anything else.
func render(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return render(e.X) + "." + e.Sel.Name
	}
	return ""
}

// literal returns the text of a string literal, or of several that are added; what is
// added and is no literal is shown as {…}.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, isLeft := literal(e.X)
		right, isRight := literal(e.Y)
		if !isLeft && !isRight {
			return "", false
		}
		if !isLeft {
			left = "{…}"
		}
		if !isRight {
			right = "{…}"
		}
		return left + right, true
	}
	return "", false
}

// account notes all literals of an expression.
func account(e ast.Expr, seen map[ast.Expr]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			seen[e] = true
		}
		return true
	})
}

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
