package messages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/99designs/gqlgen/graphql/errcode"

	"product-comments/graph"
	"product-comments/internal/testing/testkit"
)

// reasonAt has the functions that make an error with a reason, and the place of the reason.
var reasonAt = map[string]int{
	"For": 0, "Exceeds": 0, "Refuse": 1, "labelled": 2, "check": 0, // errs and graph
	"Refused": 1, "RetryLater": 2, "shareUsed": 0, "busy": 1, "rateLimited": 0, "refuse": 2, // admission and variables
}

// reasonsInTheSource returns the reasons of errors in the packages that answer requests, and the codes.
func reasonsInTheSource(t *testing.T) (reasons, codes map[string]bool) {
	reasons, codes = map[string]bool{}, map[string]bool{}
	constants := map[string]string{} // by name
	var given []ast.Expr
	for _, folder := range []string{"store", "graph", "resolvers", "internal/server/httpapi", "graph/globalid", "internal/server/admission"} {
		testkit.Must(t, filepath.WalkDir(filepath.Join("../../..", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file := testkit.Value(parser.ParseFile(token.NewFileSet(), path, nil, 0))(t)
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.ValueSpec:
					for i, name := range n.Names {
						if i < len(n.Values) {
							if text, ok := stringOf(n.Values[i]); ok {
								constants[name.Name] = text
								typ, _ := n.Type.(*ast.Ident)
								of, _ := n.Type.(*ast.SelectorExpr)
								if typ != nil && typ.Name == "Code" && !strings.Contains(path, "/item/") || of != nil && of.Sel.Name == "Code" {
									codes[text] = true
								}
							}
						}
					}
				case *ast.CallExpr:
					name := ""
					switch f := n.Fun.(type) {
					case *ast.Ident:
						name = f.Name
					case *ast.SelectorExpr:
						name = f.Sel.Name
					}
					if at, ok := reasonAt[name]; ok && at < len(n.Args) {
						if _, text := stringOf(n.Args[at]); name == "For" && text { // a purpose of keys: reasons are constants
							return true
						}
						given = append(given, n.Args[at])
					}
				case *ast.AssignStmt:
					if left, ok := n.Lhs[0].(*ast.Ident); ok && left.Name == "reason" && folder == "internal/server/admission" {
						given = append(given, n.Rhs[0])
					}
				}
				return true
			})
			return nil
		}))
	}
	for _, of := range given {
		if text, ok := stringOf(of); ok {
			reasons[text] = true
			continue
		}
		name := ""
		switch of := of.(type) {
		case *ast.Ident:
			name = of.Name
		case *ast.SelectorExpr:
			name = of.Sel.Name
		}
		if text, ok := constants[name]; ok {
			reasons[text] = true
		}
	}
	return reasons, codes
}

func stringOf(of ast.Expr) (string, bool) {
	l, ok := of.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// The schema's enums ErrorCode and ErrorReason have the codes and reasons that the source makes,
// and no others, and the page about the API explains each.
func TestErrorEnums(t *testing.T) {
	reasons, codes := reasonsInTheSource(t)
	for _, code := range []string{"PERSISTED_QUERY_NOT_FOUND", errcode.ParseFailed, errcode.ValidationFailed} { // not in errs
		codes[code] = true
	}
	page := string(testkit.Value(os.ReadFile("../../../docs/api.md"))(t))
	types := graph.NewExecutableSchema(graph.Config{}).Schema().Types
	for name, made := range map[string]map[string]bool{"ErrorCode": codes, "ErrorReason": reasons} {
		for _, v := range types[name].EnumValues {
			testkit.Check(t, made[v.Name], "no error has the %s %s", name, v.Name)
			testkit.Check(t, strings.Contains(page, "`"+v.Name+"`"), "docs/api.md does not explain the %s %s", name, v.Name)
		}
		for _, value := range slices.Sorted(maps.Keys(made)) {
			testkit.Check(t, types[name].EnumValues.ForName(value) != nil, "%s has no value %s", name, value)
		}
	}
}
