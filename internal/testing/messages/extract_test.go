package messages

import (
	"go/ast"
	"go/token"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

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
