package resolvers_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/apitest"
	"product-comments/internal/testkit"
	"product-comments/store/errs"
)

// problemsOf returns what a form gets of the errors of an answer.
func problemsOf(a apitest.Answer) (list []string) {
	for _, e := range a.Errors {
		line := fmt.Sprint(e.Extensions["code"], " ", e.Extensions["field"], " ", e.Extensions["reason"])
		if limit, ok := e.Extensions["limit"]; ok {
			line += fmt.Sprintf(" %v of %v", e.Extensions["value"], limit)
		}
		if name, ok := e.Extensions["variable"]; ok {
			line += fmt.Sprintf(" $%v", name)
		}
		list = append(list, line)
	}
	slices.Sort(list)
	return list
}

// Everything that is wrong with an input is said at once, each field by itself.
// Together these requests meet every reason that there is, and docs/limits.md lists
// those and no others.
func TestProblemsOfForms(t *testing.T) {
	s := serve(t)
	s.define(t, `productId:"42",definitions:[{key:"size",type:CHOICE,choices:[{value:"M"}]},{key:"fit",type:NUMBER}]`)
	s.Fill(t, apitest.Comments(1)...)
	const create = `mutation($in:CreateCommentInput!){createComment(input:$in){comment{id}}}`
	const update = `mutation($in:UpdateCommentInput!){updateComment(input:$in){comment{id}}}`
	page := func(arguments string) string { return `{product(id:"42"){comments(` + arguments + `){nodes{id}}}}` }
	long := strings.Repeat("é", 301)
	type object = map[string]any
	met := map[string]bool{}
	for _, c := range []struct {
		name, query string
		variables   object
		want        []string
	}{
		{"a form with everything wrong", create, object{"in": object{
			"productId": "", "rating": 9, "language": "english", "title": long, "text": "a\u0007", "author": "\u200b", "idempotencyKey": strings.Repeat("k", 129),
		}}, []string{
			"BAD_USER_INPUT author INVISIBLE", "BAD_USER_INPUT idempotencyKey TOO_LONG 129 of 128", "BAD_USER_INPUT language NOT_A_LANGUAGE",
			"BAD_USER_INPUT productId REQUIRED", "BAD_USER_INPUT rating OUT_OF_RANGE 9 of 5", "BAD_USER_INPUT text BAD_CHARACTER", "BAD_USER_INPUT title TOO_LONG 301 of 300",
		}},
		{"with a product", create, object{"in": object{"productId": "42", "rating": 0, "language": "", "title": "a\nb"}}, []string{
			"BAD_USER_INPUT language REQUIRED", "BAD_USER_INPUT rating OUT_OF_RANGE 0 of 1", "BAD_USER_INPUT title BAD_CHARACTER",
		}},
		{"a change", update, object{"in": object{"id": "c000", "rating": 6, "language": "x-shop", "title": long, "text": strings.Repeat("t", 20_001)}}, []string{
			"BAD_USER_INPUT language NOT_A_LANGUAGE", "BAD_USER_INPUT rating OUT_OF_RANGE 6 of 5", "BAD_USER_INPUT text TOO_LONG 20001 of 20000", "BAD_USER_INPUT title TOO_LONG 301 of 300",
		}},
		{"a change of no comment", update, object{"in": object{"id": "UHJvZHVjdDo0Mg", "rating": 6, "title": "a", "clear": []any{"TITLE"}}}, []string{
			"BAD_USER_INPUT clear CONTRADICTION", "BAD_USER_INPUT id OTHER_KIND", "BAD_USER_INPUT rating OUT_OF_RANGE 6 of 5",
		}},
		{"types", create, object{"in": object{"productId": 42, "rating": "5", "text": []any{"a"}, "stars": 5}}, []string{
			"BAD_USER_INPUT language REQUIRED $in", "BAD_USER_INPUT rating WRONG_TYPE $in", "BAD_USER_INPUT stars UNKNOWN_FIELD $in", "BAD_USER_INPUT text WRONG_TYPE $in",
		}},
		{"variables", `query($n:Int $r:[Int!] $i:ID!){product(id:$i){comments(first:$n ratings:$r){nodes{id}}}}`, object{"n": "2", "r": []any{"5"}}, []string{
			"BAD_USER_INPUT variables.i REQUIRED $i", "BAD_USER_INPUT variables.n WRONG_TYPE $n", "BAD_USER_INPUT variables.r WRONG_TYPE $r",
		}},
		{"an operation", `query A{__typename} query B{__typename}`, nil, []string{"BAD_USER_INPUT operationName REQUIRED"}},
		{"a filter", page(`language:"english" ratings:[9]`), nil, []string{"BAD_USER_INPUT language NOT_A_LANGUAGE", "BAD_USER_INPUT ratings OUT_OF_RANGE 9 of 5"}},
		{"a page", page(`first:101 after:"a" before:"b"`), nil, []string{
			"BAD_USER_INPUT after NOT_A_CURSOR", "BAD_USER_INPUT before NOT_A_CURSOR", "BAD_USER_INPUT first OUT_OF_RANGE 101 of 100",
		}},
		{"two ends", page(`first:1 last:1`), nil, []string{"BAD_USER_INPUT last CONTRADICTION"}},
		{"attributes", create, object{"in": object{"productId": "42", "rating": 9, "language": "en", "attributes": []any{
			object{"key": "size", "value": "XL"}, object{"key": "colour", "value": "red"}, object{"key": "fit", "value": "tight"},
		}}}, []string{
			"BAD_USER_INPUT attributes.0.value NOT_A_CHOICE", "BAD_USER_INPUT attributes.1.key NOT_AN_ATTRIBUTE", "BAD_USER_INPUT attributes.2.value WRONG_TYPE", "BAD_USER_INPUT rating OUT_OF_RANGE 9 of 5",
		}},
		{"ids", `query($ids:[ID!]!){products(ids:$ids){id}}`, object{"ids": slices.Repeat([]any{"1"}, 101)}, []string{"BAD_USER_INPUT ids TOO_MANY 101 of 100"}},
	} {
		a := s.Post(t, c.query, c.variables)
		got := problemsOf(a)
		testkit.Check(t, slices.Equal(got, c.want), "%s:\n got %q\nwant %q", c.name, got, c.want)
		for _, e := range a.Errors {
			met[fmt.Sprint(e.Extensions["reason"])] = true
			if !strings.HasPrefix(e.Message, fmt.Sprint(e.Extensions["field"])+": ") && e.Extensions["variable"] == nil {
				t.Errorf("%s: %q does not name its field", c.name, e.Message)
			}
		}
	}
	if a := s.Send(t, "POST", "/graphql", []byte(`{"query":"query A{__typename}","operationName":"B"}`), "Content-Type", "application/json"); len(a.Errors) == 1 {
		met[fmt.Sprint(a.Errors[0].Extensions["reason"])] = true
	}
	text := testkit.Value(os.ReadFile("../docs/limits.md"))(t)
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|").FindAllSubmatch(text, -1) {
		listed = append(listed, string(row[1]))
	}
	testkit.Check(t, slices.Equal(listed, errs.Reasons), "docs/limits.md lists %q, there are %q", listed, errs.Reasons)
	for _, reason := range errs.Reasons {
		testkit.Check(t, met[reason], "nothing was refused for %s", reason)
	}
}
