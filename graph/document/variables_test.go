package document

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

var inputs = gqlparser.MustLoadSchema(&ast.Source{Input: `
	scalar DateTime
	enum Part { TITLE TEXT }
	input In { id: ID! n: Int list: [Int!] deep: In parts: [Part!] size: Int! = 3 }
	type Query { f(input: In, many: [In!], int: Int, need: Int!, ints: [Int!], lists: [[Int]], float: Float, string: String, yes: Boolean, id: ID, part: Part, in: In, at: DateTime, times: [DateTime]): Int }`})

// coerced reads variables as they are sent, for the operation of a document, which may leave variables unused.
func coerced(t *testing.T, query, sent string) (*ast.OperationDefinition, map[string]any, Wrong, gqlerror.List) {
	t.Helper()
	r := NewReader(Options{Schema: inputs, Limits: Default})
	r.rules = slices.DeleteFunc(r.rules, func(r core.Rule) bool { return r.Name == rules.NoUnusedVariablesRule.Name })
	doc, wrong := r.read(t.Context(), query)
	testkit.Need(t, len(wrong) == 0, "%s: %v", query, wrong)
	var given map[string]any
	d := json.NewDecoder(strings.NewReader(sent))
	d.UseNumber()
	testkit.Must(t, d.Decode(&given))
	values, invalid, refusals := coerce(inputs, doc.Operations[0], doc.literals[doc.Operations[0]], given)
	return doc.Operations[0], values, invalid, refusals
}

func TestCoerce(t *testing.T) {
	for _, c := range []struct {
		declared, sent string
		want           any // values, or problems
	}{
		{"$v:Int", `{"v":7}`, map[string]any{"v": int64(7)}},
		{"$v:Int", `{"v":-2147483648}`, map[string]any{"v": int64(-2147483648)}},
		{"$v:Int", `{"v":7.0}`, map[string]any{"v": int64(7)}},
		{"$v:Int", `{"v":2e1}`, map[string]any{"v": int64(20)}},
		{"$v:Int", `{"v":null}`, map[string]any{"v": nil}},
		{"$v:Int", `{"w":7}`, map[string]any{}},
		{"$v:Int=4", `{}`, map[string]any{"v": int64(4)}},
		{"$v:Int=4", `{"v":null}`, map[string]any{"v": nil}},
		{"$v:[Int!]", `{"v":5}`, map[string]any{"v": []any{int64(5)}}},
		{"$v:[Int!]", `{"v":[5,4]}`, map[string]any{"v": []any{int64(5), int64(4)}}},
		{"$v:[[Int]]", `{"v":[[1],[null]]}`, map[string]any{"v": []any{[]any{int64(1)}, []any{nil}}}},
		{"$v:[[Int]]", `{"v":[1,2]}`, map[string]any{"v": []any{[]any{int64(1)}, []any{int64(2)}}}},
		{"$v:Float", `{"v":1}`, map[string]any{"v": 1.0}},
		{"$v:String", `{"v":"2"}`, map[string]any{"v": "2"}},
		{"$v:Boolean!", `{"v":false}`, map[string]any{"v": false}},
		{"$v:ID", `{"v":42}`, map[string]any{"v": "42"}},
		{"$v:DateTime", `{"v":"2026-01-31T12:00:00+01:00"}`, map[string]any{"v": "2026-01-31T12:00:00+01:00"}},
		{"$v:Part", `{"v":"TEXT"}`, map[string]any{"v": "TEXT"}},
		{"$v:In", `{"v":{"id":1,"__typename":"In","list":3,"deep":{"id":"a","size":1}}}`, map[string]any{"v": map[string]any{
			"id": "1", "list": []any{int64(3)}, "deep": map[string]any{"id": "a", "size": int64(1)},
		}}},
		{"$v:Int", `{"v":"2"}`, []string{`v WRONG_TYPE it is "2", expected Int`}},
		{"$v:Int", `{"v":["5"]}`, []string{`v WRONG_TYPE it is ["5"], expected Int`}},
		{"$v:Int", `{"v":[5]}`, []string{`v WRONG_TYPE it is [5], expected Int`}},
		{"$v:Int", `{"v":2.5}`, []string{`v WRONG_TYPE it is 2.5, expected Int`}},
		{"$v:Int", `{"v":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}`, []string{`v WRONG_TYPE it is a value of 41 bytes, expected Int`}},
		{"$v:Int", `{"v":2147483648}`, []string{`v WRONG_TYPE it is 2147483648, expected Int`}},
		{"$v:Int", `{"v":1e999}`, []string{`v WRONG_TYPE it is 1e999, expected Int`}},
		{"$v:Int!", `{}`, []string{`v REQUIRED it is missing, expected Int!`}},
		{"$v:Int!", `{"v":null}`, []string{`v REQUIRED it is null, expected Int!`}},
		{"$v:[Int!]", `{"v":["5"]}`, []string{`v WRONG_TYPE it is "5", expected Int!`}},
		{"$v:[Int!]", `{"v":"5"}`, []string{`v WRONG_TYPE it is "5", expected Int!`}},
		{"$v:[Int!]", `{"v":[null]}`, []string{`v REQUIRED it is null, expected Int!`}},
		{"$v:[Int!]", `{"v":[[5]]}`, []string{`v WRONG_TYPE it is [5], expected Int!`}},
		{"$v:String", `{"v":5}`, []string{`v WRONG_TYPE it is 5, expected String`}},
		{"$v:Boolean", `{"v":"true"}`, []string{`v WRONG_TYPE it is "true", expected Boolean`}},
		{"$v:Float", `{"v":"1.5"}`, []string{`v WRONG_TYPE it is "1.5", expected Float`}},
		{"$v:ID", `{"v":1.5}`, []string{`v WRONG_TYPE it is 1.5, expected ID`}},
		{"$v:ID", `{"v":{}}`, []string{`v WRONG_TYPE it is {}, expected ID`}},
		{"$v:DateTime", `{"v":{}}`, []string{`v WRONG_TYPE it is {}, expected DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:DateTime", `{"v":"noon"}`, []string{`v WRONG_TYPE it is "noon", expected DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:[DateTime]", `{"v":[1]}`, []string{`v WRONG_TYPE it is 1, expected DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:Part", `{"v":"text"}`, []string{`v WRONG_TYPE it is "text", expected Part`}},
		{"$v:In", `{"v":true}`, []string{`v WRONG_TYPE it is true, expected In`}},
		{"$v:In! $w:Int", `{"v":{"n":"1","deep":{"id":null,"parts":["X"]},"z":1,"y":2},"w":{}}`, []string{
			`v.id REQUIRED it is missing, expected ID!`,
			`v.n WRONG_TYPE it is "1", expected Int`,
			`v.deep.id REQUIRED it is null, expected ID!`,
			`v.deep.parts WRONG_TYPE it is "X", expected Part!`,
			`v.y UNKNOWN_FIELD In has no such field`,
			`v.z UNKNOWN_FIELD In has no such field`,
			`w WRONG_TYPE it is {}, expected Int`,
		}},
	} {
		op, values, wrong, _ := coerced(t, "query("+c.declared+"){__typename}", c.sent)
		var got any = values
		if len(wrong) > 0 {
			var problems []string
			for _, v := range op.VariableDefinitions {
				for _, p := range wrong[v.Variable] {
					problems = append(problems, fmt.Sprint(below(v.Variable, p.field), " ", p.reason, " ", p.message))
				}
			}
			got = problems
		}
		testkit.Check(t, reflect.DeepEqual(got, c.want), "%s of %s:\n got %#v\nwant %#v", c.sent, c.declared, got, c.want)
	}
	_, _, wrong, _ := coerced(t, "query($v:[Int]){__typename}", `{"v":[`+strings.Repeat(`"x",`, 99)+`1]}`)
	testkit.Check(t, len(wrong["v"]) == maxProblems, "%d problems are reported", len(wrong["v"]))
}

// An invalid value belongs to the fields whose arguments have it, under its name there, and a
// placeholder of its type takes its place. A Boolean! decides which fields there are.
func TestOwners(t *testing.T) {
	for _, c := range []struct {
		query, sent string
		values      map[string]any
		want        string
	}{
		{`query($at:DateTime="noon"){f(need:99999999999 in:{id:"a" deep:{id:9 n:-3000000000}} at:$at times:["2026-01-31T12:00:00Z", "x"])}`, `{}`, map[string]any{"at": nil},
			`f: need WRONG_TYPE, in.deep.n WRONG_TYPE, at WRONG_TYPE, times WRONG_TYPE`},
		{`query($n:Int!){f(need:$n)}`, `{}`, map[string]any{"n": int64(0)}, `f: need REQUIRED`},
		{`query($n:Int!){f(need:$n) ...{...A}} fragment A on Query{g:f(need:1 in:{id:"a" deep:{id:"b" n:$n}})}`, `{"n":"1"}`,
			map[string]any{"n": int64(0)}, `f: need WRONG_TYPE; g: in.deep.n WRONG_TYPE`},
		{`query($v:In! $n:[Int!]){f(need:1 input:$v ints:$n) g:f(need:2)}`, `{"v":{"parts":["X"],"deep":null,"x":1},"n":[1,null]}`,
			map[string]any{"v": map[string]any{"id": "", "parts": []any{"TITLE"}, "deep": nil}, "n": []any{int64(1), int64(0)}},
			`f: id REQUIRED, parts WRONG_TYPE, x UNKNOWN_FIELD, ints REQUIRED`},
		{`query($v:[In!]){f(need:1 many:$v)}`, `{"v":[{"id":"a"},{"id":null,"n":"x"},5]}`, map[string]any{"v": []any{
			map[string]any{"id": "a"}, map[string]any{"id": "", "n": nil}, map[string]any{"id": ""}}},
			`f: many.1.id REQUIRED, many.1.n WRONG_TYPE, many.2 WRONG_TYPE`},
		{`query($a:In! $n:Int $no:Int){f(need:1 in:{id:"a" n:$no list:"x"} many:[$a {id:"b" n:$n deep:$a}])}`, `{"a":{"n":"x"},"n":"y"}`,
			map[string]any{"a": map[string]any{"id": "", "n": nil}, "n": nil},
			`f: in.list WRONG_TYPE, many.0.id REQUIRED, many.0.n WRONG_TYPE, many.1.n WRONG_TYPE, many.1.deep.id REQUIRED, many.1.deep.n WRONG_TYPE`},
		{`query($n:Int! $b:Boolean!){f(need:$n) @skip(if:$b)}`, `{"n":1.5}`, nil, `variables.n WRONG_TYPE, variables.b REQUIRED`},
	} {
		op, values, wrong, refusals := coerced(t, c.query, c.sent)
		named := func(list errs.List) string {
			var names []string
			for _, e := range list {
				names = append(names, e.Field+" "+e.Reason)
			}
			return strings.Join(names, ", ")
		}
		var got []string
		for _, f := range fieldsOf(op.SelectionSet) {
			if w := wrong.Of(f); w != nil {
				got = append(got, f.Alias+": "+named(w.Join(nil)))
			}
		}
		if refusals != nil {
			got = []string{named(errs.All(refusals))}
		}
		testkit.Equal(t, strings.Join(got, "; "), c.want, "%s", c.query)
		maps.DeleteFunc(values, func(name string, _ any) bool { return strings.Contains(name, " ") }) // literals
		testkit.Check(t, reflect.DeepEqual(values, c.values), "%s: %#v, want %#v", c.query, values, c.values)
	}
}

func fieldsOf(set ast.SelectionSet) (list []*ast.Field) {
	for _, s := range set {
		switch s := s.(type) {
		case *ast.Field:
			list = append(list, s)
		case *ast.InlineFragment:
			list = append(list, fieldsOf(s.SelectionSet)...)
		case *ast.FragmentSpread:
			list = append(list, fieldsOf(s.Definition.SelectionSet)...)
		}
	}
	return list
}

// Errors that a field finds are reported together with errors of its values. Errors that the value
// put in place of a wrong one caused are left out.
func TestJoin(t *testing.T) {
	var w Errors
	w.add("rating", problem{reason: errs.Required})
	w.add("choices.1.type", problem{reason: errs.WrongType, kind: true})
	var got []string
	for _, e := range w.Join(errs.List{
		errs.Invalid("rating", "caused"), errs.Invalid("choices.1.labels", "caused"), errs.Invalid("choices", "caused"),
		errs.Invalid("title", ""), errs.Invalid("ratings", ""), errs.Invalid("after", "caused").For(errs.NotACursor), errs.Invalid("choices.0.type", ""), errs.Errorf(errs.Conflict, "caused"),
	}) {
		got = append(got, e.Field)
	}
	testkit.Equal(t, strings.Join(got, " "), "rating choices.1.type title ratings choices.0.type", "the fields")
}
