package document

import (
	"fmt"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// What is at a limit passes, and one more is refused with reason, value and limit.
func TestLimits(t *testing.T) {
	l := Default
	l.Depth, l.Tokens = l.Nesting+5, 1<<20
	check := func(text string) *errs.Error {
		c := &checker{limits: l}
		source := &ast.Source{Input: text}
		testkit.Value(c.tokens(source))(t)
		c.document(testkit.Value(parser.ParseQuery(source))(t))
		return c.exceeded
	}
	nested := func(n int) string { return strings.Repeat("{a", n) + strings.Repeat("}", n) }
	for _, c := range []struct {
		reason string
		limit  int
		with   func(n int) string
	}{
		{"operations", l.Operations, func(n int) string { return testkit.Each(n, "query Q%d{a}") }},
		{"fragments", l.Fragments, func(n int) string { return "{a}" + testkit.Each(n, "fragment F%d on T{a}") }},
		{"spreads", l.Spreads, func(n int) string { return "{" + testkit.Each(n, "...F%d") + "}" }},
		{"fields", l.Fields, func(n int) string { // the last fragment's 50 fields, and half of them as often as it is spread
			return "{" + testkit.Each(n-50*99, "a%d") + strings.Repeat("...F ", 99) + "} fragment F on T{" + testkit.Each(50, "b%d") + "}"
		}},
		{"depth", l.Depth, func(n int) string { // a fragment's levels are below the levels of the field that spreads it
			return strings.Repeat("{a", 20) + "{...F}" + strings.Repeat("}", 20) + " fragment F on T{...{...G}} fragment G on T" + nested(n-20)
		}},
		{"nesting", l.Nesting, nested},
		{"nesting", l.Nesting, func(n int) string { // inline fragments, and a fragment, which begins again
			return "{a{b}} fragment F on T{" + strings.Repeat("...{", n-1) + "a" + strings.Repeat("}", n)
		}},
		{"occurrences", l.Occurrences, func(n int) string { return "{" + strings.Repeat("a ", n) + "}" }},
		{"occurrences", l.Occurrences, func(n int) string { // in inline fragments, too
			return "{a ...{" + strings.Repeat("a ", n-2) + "...on T{a}}}"
		}},
		{"aliases", l.Aliases, func(n int) string { return "{" + testkit.Each(n, "a%d:b") + "}" }},
		{"directives", l.Directives, func(n int) string { return "{" + testkit.Each(n, "a%d@x") + "}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "{a" + strings.Repeat("@x", n) + "}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "query Q" + strings.Repeat("@x", n) + "{a}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "query($v:T" + strings.Repeat("@x", n) + "){a}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "{...F" + strings.Repeat("@x", n) + "}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "{...on T" + strings.Repeat("@x", n) + "{a}}" }},
		{"directives_in_one_place", l.OnOne, func(n int) string { return "{a} fragment F on T" + strings.Repeat("@x", n) + "{a}" }},
		{"variables", l.Variables, func(n int) string { return "query(" + testkit.Each(n, "$v%d:T") + "){a}" }},
		{"arguments", l.Arguments, func(n int) string { return "{a(" + testkit.Each(n, "a%d:1") + ")}" }},
		{"arguments", l.Arguments, func(n int) string { return "{a(o:{" + testkit.Each(n, "a%d:1") + "})}" }},
		{"arguments", l.Arguments, func(n int) string { return "{a@x(" + testkit.Each(n, "a%d:1") + ")}" }},
		{"list_length", l.List, func(n int) string { return "{a(l:[" + testkit.Each(n, "%d") + "])}" }},
		{"list_length", l.List, func(n int) string { return "query($v:T={l:[" + testkit.Each(n, "%d") + "]}){a}" }},
		{"value_nesting", l.Values, func(n int) string { return "{a(l:" + strings.Repeat("[", n) + strings.Repeat("]", n) + ")}" }},
		{"value_nesting", l.Values, func(n int) string {
			return "{a(l:" + strings.Repeat("{o:", n-1) + "[]" + strings.Repeat("}", n-1) + ")}"
		}},
		{"value_nesting", l.Values, func(n int) string {
			return "query($v:" + strings.Repeat("[", n-1) + "T" + strings.Repeat("]", n-1) + "){a}"
		}},
		{"name_length", l.Name, func(n int) string { return "{a(b:[" + strings.Repeat("x", n) + " 1])}" }},
		{"name_length", l.Name, func(n int) string { return "{a(b:" + strings.Repeat("1", n) + ")}" }},
		{"string_length", l.String, func(n int) string { return `{a(s:"` + strings.Repeat("x", n) + `")}` }},
		{"string_length", l.String, func(n int) string { return `{a(s:"""` + strings.Repeat("x", n) + `""")}` }},
	} {
		if err := check(c.with(c.limit)); err != nil {
			t.Errorf("%.60s: at the limit: %v", c.with(c.limit), err)
		}
		err := check(c.with(c.limit + 1))
		if err == nil || err.Reason != c.reason || err.Limit.Value != int64(c.limit+1) || err.Limit.Most != int64(c.limit) {
			t.Errorf("%.60s: over the limit: got %v, want %s of %d", c.with(c.limit+1), err, c.reason, c.limit)
			continue
		}
		for _, number := range []int{c.limit, c.limit + 1} {
			testkit.Check(t, strings.Contains(err.Message, fmt.Sprint(number)), "%q does not say %d", err.Message, number)
		}
	}
}
