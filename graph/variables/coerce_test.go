package variables

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/internal/testkit"
	"product-comments/store/errs"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	scalar Time
	scalar DateTime
	enum Part { TITLE TEXT }
	input In { id: ID! n: Int list: [Int!] deep: In parts: [Part!] size: Int! = 3 }
	type Query { f(input: In, many: [In!], int: Int, need: Int!, ints: [Int!], lists: [[Int]], float: Float, string: String, yes: Boolean, id: ID, part: Part, in: In, time: Time, at: DateTime, times: [DateTime]): Int }`})

// coerce reads variables as they are sent, for an operation that declares them so.
func coerce(t *testing.T, declared, sent string) (values map[string]any, problems []string) {
	t.Helper()
	doc, wrong := gqlparser.LoadQueryWithRules(schema, "query("+declared+"){__typename}", &rules.Rules{})
	testkit.Need(t, len(wrong) == 0, "%v", wrong)
	var given map[string]any
	d := json.NewDecoder(strings.NewReader(sent))
	d.UseNumber()
	testkit.Must(t, d.Decode(&given))
	doc.Operations[0].VariableDefinitions = append(doc.Operations[0].VariableDefinitions, &ast.VariableDefinition{Variable: "refused", Type: ast.NonNullNamedType("Boolean", nil), Position: &ast.Position{}})
	values, _, list := Coerce(schema, doc.Operations[0], given)
	list = slices.DeleteFunc(list, func(p *gqlerror.Error) bool { return strings.HasPrefix(p.Message, "variables.refused") })
	delete(values, "refused")
	for _, p := range list {
		var e *errs.Error
		testkit.Check(t, errors.As(p, &e) && e.Code == errs.BadUserInput, "%s of %s: %+v", sent, declared, p)
		problems = append(problems, fmt.Sprint(e.Field, " ", e.Reason, " ", e.Message))
	}
	return values, problems
}

func TestCoerce(t *testing.T) {
	for _, c := range []struct {
		declared, sent string
		want           map[string]any
	}{
		{"$v:Int", `{"v":7}`, map[string]any{"v": int64(7)}},
		{"$v:Int", `{"v":-2147483648}`, map[string]any{"v": int64(-2147483648)}},
		{"$v:Int", `{"v":7.0}`, map[string]any{"v": int64(7)}},
		{"$v:Int", `{"v":2e1}`, map[string]any{"v": int64(20)}},
		{"$v:Int", `{"v":null}`, map[string]any{"v": nil}},
		{"$v:Int", `{"w":7}`, map[string]any{}},
		{"$v:Int=4", `{}`, map[string]any{}},
		{"$v:Int=4", `{"v":null}`, map[string]any{"v": nil}},
		{"$v:[Int!]", `{"v":5}`, map[string]any{"v": []any{int64(5)}}},
		{"$v:[Int!]", `{"v":[5,4]}`, map[string]any{"v": []any{int64(5), int64(4)}}},
		{"$v:[[Int]]", `{"v":[[1],[null]]}`, map[string]any{"v": []any{[]any{int64(1)}, []any{nil}}}},
		{"$v:[[Int]]", `{"v":[1,2]}`, map[string]any{"v": []any{[]any{int64(1)}, []any{int64(2)}}}},
		{"$v:Float", `{"v":1}`, map[string]any{"v": 1.0}},
		{"$v:String", `{"v":"2"}`, map[string]any{"v": "2"}},
		{"$v:Boolean!", `{"v":false}`, map[string]any{"v": false}},
		{"$v:ID", `{"v":42}`, map[string]any{"v": "42"}},
		{"$v:Time", `{"v":"now"}`, map[string]any{"v": "now"}},
		{"$v:DateTime", `{"v":"2026-01-31T12:00:00+01:00"}`, map[string]any{"v": "2026-01-31T12:00:00+01:00"}},
		{"$v:Part", `{"v":"TEXT"}`, map[string]any{"v": "TEXT"}},
		{"$v:In", `{"v":{"id":1,"__typename":"In","list":3,"deep":{"id":"a","size":1}}}`, map[string]any{"v": map[string]any{
			"id": "1", "list": []any{int64(3)}, "deep": map[string]any{"id": "a", "size": int64(1)},
		}}},
	} {
		got, problems := coerce(t, c.declared, c.sent)
		testkit.Check(t, len(problems) == 0 && reflect.DeepEqual(got, c.want), "%s of %s: %#v %q, want %#v", c.sent, c.declared, got, problems, c.want)
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		declared, sent string
		want           []string
	}{
		{"$v:Int", `{"v":"2"}`, []string{`variables.v WRONG_TYPE it is the string "2", expected an Int`}},
		{"$v:Int", `{"v":["5"]}`, []string{`variables.v WRONG_TYPE it is a list, expected an Int`}},
		{"$v:Int", `{"v":[5]}`, []string{`variables.v WRONG_TYPE it is a list, expected an Int`}},
		{"$v:Int", `{"v":2.5}`, []string{`variables.v WRONG_TYPE it is 2.5, expected an Int`}},
		{"$v:Int", `{"v":2147483648}`, []string{`variables.v WRONG_TYPE it is 2147483648, expected an Int`}},
		{"$v:Int", `{"v":1e999}`, []string{`variables.v WRONG_TYPE it is 1e999, expected an Int`}},
		{"$v:Int!", `{}`, []string{`variables.v REQUIRED it is missing, expected an Int`}},
		{"$v:Int!", `{"v":null}`, []string{`variables.v REQUIRED it is null, expected an Int`}},
		{"$v:[Int!]", `{"v":["5"]}`, []string{`variables.v WRONG_TYPE it is the string "5", expected an Int`}},
		{"$v:[Int!]", `{"v":"5"}`, []string{`variables.v WRONG_TYPE it is the string "5", expected an Int`}},
		{"$v:[Int!]", `{"v":[null]}`, []string{`variables.v REQUIRED it is null, expected an Int`}},
		{"$v:[Int!]", `{"v":[[5]]}`, []string{`variables.v WRONG_TYPE it is a list, expected an Int`}},
		{"$v:String", `{"v":5}`, []string{`variables.v WRONG_TYPE it is 5, expected a String`}},
		{"$v:Boolean", `{"v":"true"}`, []string{`variables.v WRONG_TYPE it is the string "true", expected a Boolean`}},
		{"$v:Float", `{"v":"1.5"}`, []string{`variables.v WRONG_TYPE it is the string "1.5", expected a Float`}},
		{"$v:ID", `{"v":1.5}`, []string{`variables.v WRONG_TYPE it is 1.5, expected an ID`}},
		{"$v:ID", `{"v":{}}`, []string{`variables.v WRONG_TYPE it is an object, expected an ID`}},
		{"$v:DateTime", `{"v":{}}`, []string{`variables.v WRONG_TYPE it is an object, expected a DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:DateTime", `{"v":"noon"}`, []string{`variables.v WRONG_TYPE it is the string "noon", expected a DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:[DateTime]", `{"v":[1]}`, []string{`variables.v WRONG_TYPE it is 1, expected a DateTime such as 2026-01-31T12:00:00Z`}},
		{"$v:Part", `{"v":"text"}`, []string{`variables.v WRONG_TYPE it is the string "text", expected one of TITLE, TEXT`}},
		{"$v:In", `{"v":true}`, []string{`variables.v WRONG_TYPE it is true, expected an object of the type In`}},
		{"$v:In! $w:Int", `{"v":{"n":"1","deep":{"id":null,"parts":["X"]},"z":1,"y":2},"w":{}}`, []string{
			`variables.v.id REQUIRED it is missing, expected an ID`,
			`variables.v.n WRONG_TYPE it is the string "1", expected an Int`,
			`variables.v.deep.id REQUIRED it is null, expected an ID`,
			`variables.v.deep.parts WRONG_TYPE it is the string "X", expected one of TITLE, TEXT`,
			`variables.v.y UNKNOWN_FIELD In has no such field`,
			`variables.v.z UNKNOWN_FIELD In has no such field`,
			`variables.w WRONG_TYPE it is an object, expected an Int`,
		}},
	} {
		_, got := coerce(t, c.declared, c.sent)
		testkit.Check(t, reflect.DeepEqual(got, c.want), "%s of %s:\n got %q\nwant %q", c.sent, c.declared, got, c.want)
	}
	_, got := coerce(t, "$v:[Int]", `{"v":[`+strings.Repeat(`"x",`, 99)+`1]}`)
	testkit.Check(t, len(got) == maxProblems, "%d problems are reported", len(got))
}

// An invalid value belongs to the fields whose arguments have it, under its name there, and a
// placeholder of its type takes its place. A Boolean! decides which fields there are.
func TestOwners(t *testing.T) {
	for _, c := range []struct {
		query, sent string
		values      map[string]any
		want        string
	}{
		{`query($at:DateTime="noon"){f(need:99999999999 in:{id:"a" deep:{id:9 n:-3000000000}} at:$at times:["2026-01-31T12:00:00Z", "x"])}`, `{}`, map[string]any{},
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
		{`query($n:Int! $b:Boolean!){f(need:$n) @skip(if:$b)}`, `{"n":1.5}`, nil, `variables.n WRONG_TYPE, variables.b REQUIRED`},
	} {
		doc, wrong := gqlparser.LoadQueryWithRules(schema, c.query, rules.NewDefaultRules())
		testkit.Need(t, len(wrong) == 0, "%s: %v", c.query, wrong)
		var given map[string]any
		d := json.NewDecoder(strings.NewReader(c.sent))
		d.UseNumber()
		testkit.Must(t, d.Decode(&given))
		values, wrongs, refusals := Coerce(schema, doc.Operations[0], given)
		named := func(list errs.List) string {
			var names []string
			for _, e := range list {
				names = append(names, e.Field+" "+e.Reason)
			}
			return strings.Join(names, ", ")
		}
		var got []string
		for _, f := range fieldsOf(doc.Operations[0].SelectionSet) {
			if w := wrongs.Of(f); w != nil {
				got = append(got, f.Alias+": "+named(w.Join(nil)))
			}
		}
		var list errs.List
		for _, r := range refusals {
			list = append(list, r.Unwrap().(*errs.Error))
		}
		if list != nil {
			got, values = []string{named(list)}, nil
		}
		testkit.Equal(t, strings.Join(got, "; "), c.want, "%s", c.query)
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
