package variables

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"product-comments/internal/testkit"
)

var schema = gqlparser.MustLoadSchema(&ast.Source{Input: `
	scalar Time
	scalar DateTime
	enum Part { TITLE TEXT }
	input In { id: ID! n: Int list: [Int!] deep: In parts: [Part!] size: Int! = 3 }
	type Query { f(int: Int, need: Int!, ints: [Int!], lists: [[Int]], float: Float, string: String, yes: Boolean, id: ID, part: Part, in: In, time: Time, at: DateTime, times: [DateTime]): Int }`})

// coerce reads variables as they are sent, for an operation that declares them so.
func coerce(t *testing.T, declared, sent string) (values map[string]any, problems []string) {
	t.Helper()
	doc, wrong := gqlparser.LoadQueryWithRules(schema, "query("+declared+"){__typename}", &rules.Rules{})
	testkit.Need(t, len(wrong) == 0, "%v", wrong)
	var given map[string]any
	d := json.NewDecoder(strings.NewReader(sent))
	d.UseNumber()
	testkit.Must(t, d.Decode(&given))
	values, list := Coerce(schema, doc.Operations[0], given)
	for _, p := range list {
		testkit.Check(t, p.Extensions["code"] == "BAD_USER_INPUT" && p.Extensions["variable"] != "" && len(p.Locations) == 1, "%s of %s: %+v", sent, declared, p)
		problems = append(problems, fmt.Sprint(p.Extensions["field"], " ", p.Extensions["reason"], " ", p.Message))
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
		{"$v:Int", `{"v":"2"}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "2", expected an Int`}},
		{"$v:Int", `{"v":["5"]}`, []string{`variables.v WRONG_TYPE Variable $v: it is a list, expected an Int`}},
		{"$v:Int", `{"v":[5]}`, []string{`variables.v WRONG_TYPE Variable $v: it is a list, expected an Int`}},
		{"$v:Int", `{"v":2.5}`, []string{`variables.v WRONG_TYPE Variable $v: it is 2.5, expected an Int`}},
		{"$v:Int", `{"v":2147483648}`, []string{`variables.v WRONG_TYPE Variable $v: it is 2147483648, expected an Int`}},
		{"$v:Int", `{"v":1e999}`, []string{`variables.v WRONG_TYPE Variable $v: it is 1e999, expected an Int`}},
		{"$v:Int!", `{}`, []string{`variables.v REQUIRED Variable $v: it is missing, expected an Int`}},
		{"$v:Int!", `{"v":null}`, []string{`variables.v REQUIRED Variable $v: it is null, expected an Int`}},
		{"$v:[Int!]", `{"v":["5"]}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "5", expected an Int`}},
		{"$v:[Int!]", `{"v":"5"}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "5", expected an Int`}},
		{"$v:[Int!]", `{"v":[null]}`, []string{`variables.v REQUIRED Variable $v: it is null, expected an Int`}},
		{"$v:[Int!]", `{"v":[[5]]}`, []string{`variables.v WRONG_TYPE Variable $v: it is a list, expected an Int`}},
		{"$v:String", `{"v":5}`, []string{`variables.v WRONG_TYPE Variable $v: it is 5, expected a String`}},
		{"$v:Boolean", `{"v":"true"}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "true", expected a Boolean`}},
		{"$v:Float", `{"v":"1.5"}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "1.5", expected a Float`}},
		{"$v:ID", `{"v":1.5}`, []string{`variables.v WRONG_TYPE Variable $v: it is 1.5, expected an ID`}},
		{"$v:ID", `{"v":{}}`, []string{`variables.v WRONG_TYPE Variable $v: it is an object, expected an ID`}},
		{"$v:DateTime", `{"v":{}}`, []string{`variables.v WRONG_TYPE Variable $v: it is an object, expected a DateTime`}},
		{"$v:[DateTime]", `{"v":[1]}`, []string{`variables.v WRONG_TYPE Variable $v: it is 1, expected a DateTime`}},
		{"$v:Part", `{"v":"text"}`, []string{`variables.v WRONG_TYPE Variable $v: it is the string "text", expected one of TITLE, TEXT`}},
		{"$v:In", `{"v":true}`, []string{`variables.v WRONG_TYPE Variable $v: it is true, expected an object of the type In`}},
		{"$v:In! $w:Int", `{"v":{"n":"1","deep":{"id":null,"parts":["X"]},"z":1,"y":2},"w":{}}`, []string{
			`id REQUIRED Variable $v, id: it is missing, expected an ID`,
			`n WRONG_TYPE Variable $v, n: it is the string "1", expected an Int`,
			`deep.id REQUIRED Variable $v, deep.id: it is null, expected an ID`,
			`deep.parts WRONG_TYPE Variable $v, deep.parts: it is the string "X", expected one of TITLE, TEXT`,
			`y UNKNOWN_FIELD Variable $v, y: In has no such field`,
			`z UNKNOWN_FIELD Variable $v, z: In has no such field`,
			`variables.w WRONG_TYPE Variable $w: it is an object, expected an Int`,
		}},
	} {
		_, got := coerce(t, c.declared, c.sent)
		testkit.Check(t, reflect.DeepEqual(got, c.want), "%s of %s:\n got %q\nwant %q", c.sent, c.declared, got, c.want)
	}
	_, got := coerce(t, "$v:[Int]", `{"v":[`+strings.Repeat(`"x",`, 99)+`1]}`)
	testkit.Check(t, len(got) == maxProblems, "%d problems are reported", len(got))
}
