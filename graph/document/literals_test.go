package document

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
	"product-comments/store/errs"
)

// problemsOf returns what is wrong in an operation's arguments, or why the operation does not run.
func problemsOf(t *testing.T, query, sent string) (list []string) {
	t.Helper()
	op, _, wrong, refusals := coerced(t, query, sent)
	found := errs.All(refusals)
	for _, f := range fieldsOf(op.SelectionSet) {
		if e := wrong.Of(f); e != nil {
			found = append(found, e.Join(nil)...)
		}
	}
	for _, e := range found {
		list = append(list, fmt.Sprint(e.Code, " ", e.Reason, " ", e.Sentence()))
	}
	return list
}

// A wrong value has the same errors as a literal, in a variable, and as the default of one.
func TestLiteralsAsVariables(t *testing.T) {
	for _, c := range []struct{ argument, of, literal, sent, want string }{
		{"int", "Int", `"x"`, `"x"`, `WRONG_TYPE int: it is "x", expected Int`},
		{"int", "Int", `[5]`, `[5]`, `WRONG_TYPE int: it is [5], expected Int`},
		{"int", "Int", `{a:{b:[true]}}`, `{"a":{"b":[true]}}`, `WRONG_TYPE int: it is {"a":{"b":[true]}}, expected Int`},
		{"int", "Int", `2147483648`, `2147483648`, `WRONG_TYPE int: it is 2147483648, expected Int`},
		{"int", "Int", `-99999999999999999999`, `-99999999999999999999`, `WRONG_TYPE int: it is -99999999999999999999, expected Int`},
		{"int", "Int", `2.5`, `2.5`, `WRONG_TYPE int: it is 2.5, expected Int`},
		{"need", "Int!", `null`, `null`, `REQUIRED need: it is null, expected Int!`},
		{"ints", "[Int!]", `"five"`, `"five"`, `WRONG_TYPE ints: it is "five", expected Int!`},
		{"ints", "[Int!]", `[1 "x" null]`, `[1,"x",null]`, `WRONG_TYPE ints: it is "x", expected Int!; REQUIRED ints: it is null, expected Int!`},
		{"lists", "[[Int]]", `[[1] ["x"]]`, `[[1],["x"]]`, `WRONG_TYPE lists: it is "x", expected Int`},
		{"float", "Float", `"1.5"`, `"1.5"`, `WRONG_TYPE float: it is "1.5", expected Float`},
		{"float", "Float", `1e999`, `1e999`, `WRONG_TYPE float: it is 1e999, expected Float`},
		{"string", "String", `5`, `5`, `WRONG_TYPE string: it is 5, expected String`},
		{"string", "String", `{a:"` + strings.Repeat("a", 40) + `"}`, `{"a":"` + strings.Repeat("a", 40) + `"}`, `WRONG_TYPE string: it is a value of 48 bytes, expected String`},
		{"yes", "Boolean", `"true"`, `"true"`, `WRONG_TYPE yes: it is "true", expected Boolean`},
		{"id", "ID", `1.5`, `1.5`, `WRONG_TYPE id: it is 1.5, expected ID`},
		{"at", "DateTime", `"""noon"""`, `"noon"`, `WRONG_TYPE at: it is "noon", expected DateTime such as 2026-01-31T12:00:00Z`},
		{"part", "Part", `BEST`, `"BEST"`, `WRONG_TYPE part: it is "BEST", expected Part`},
		{"in", "In", `5`, `5`, `WRONG_TYPE in: it is 5, expected In`},
		{"in", "In", `{n:"1" deep:{id:null parts:[X]} y:2}`, `{"n":"1","deep":{"id":null,"parts":["X"]},"y":2}`,
			`REQUIRED in.id: it is missing, expected ID!; WRONG_TYPE in.n: it is "1", expected Int; ` +
				`REQUIRED in.deep.id: it is null, expected ID!; WRONG_TYPE in.deep.parts: it is "X", expected Part!; UNKNOWN_FIELD in.y: In has no such field`},
		{"input", "In", `{n:"1"}`, `{"n":"1"}`, `REQUIRED id: it is missing, expected ID!; WRONG_TYPE n: it is "1", expected Int`},
		{"many", "[In!]", `[{id:"a"} 5 {id:2 size:null}]`, `[{"id":"a"},5,{"id":2,"size":null}]`,
			`WRONG_TYPE many.1: it is 5, expected In!; REQUIRED many.2.size: it is null, expected Int!`},
		{"in", "In", `{id:"a" __typename:"In"}`, `{"id":"a","__typename":"In"}`, ``},
	} {
		call := func(value string) string {
			if c.argument == "need" {
				return "{f(need:" + value + ")}"
			}
			return "{f(need:1 " + c.argument + ":" + value + ")}"
		}
		variable := "query($v:" + c.of
		for _, r := range []struct{ query, sent string }{
			{call(c.literal), `{}`},
			{"{...A} fragment A on Query" + call(c.literal), `{}`},
			{variable + ")" + call("$v"), `{"v":` + c.sent + `}`},
			{variable + "=" + c.literal + ")" + call("$v"), `{}`},
		} {
			var want []string
			for one := range strings.SplitSeq(c.want, "; ") {
				if one != "" {
					want = append(want, "BAD_USER_INPUT "+one)
				}
			}
			got := problemsOf(t, r.query, r.sent)
			testkit.Check(t, slices.Equal(got, want), "%s %s:\n got %q\nwant %q", r.query, r.sent, got, want)
		}
	}
}

// What JSON does not distinguish is wrong as a literal alone. A directive's value decides which fields
// there are, so that nothing runs.
func TestLiteralsOfTheirOwn(t *testing.T) {
	for query, want := range map[string]string{
		`{f(need:1.0)}`:                             `WRONG_TYPE need: it is 1.0, expected Int!`,
		`{f(need:1 part:"TITLE")}`:                  `WRONG_TYPE part: it is "TITLE", expected Part`,
		`{f(need:1 string:TITLE)}`:                  `WRONG_TYPE string: it is TITLE, expected String`,
		`{f(need:1 in:{id:en})}`:                    `WRONG_TYPE in.id: it is en, expected ID!`,
		`query($v:ID!){f(need:1 int:{a:$v})}`:       `WRONG_TYPE int: it is {"a":"$v"}, expected Int`,
		`{f(need:1) @skip(if:"x")}`:                 `WRONG_TYPE if: it is "x", expected Boolean!`,
		`{...@include(if:null){f(need:1 int:"x")}}`: `REQUIRED if: it is null, expected Boolean!; BAD_USER_INPUT WRONG_TYPE int: it is "x", expected Int`,
	} {
		got := problemsOf(t, query, `{"v":"a"}`)
		testkit.Equal(t, strings.Join(got, "; "), "BAD_USER_INPUT "+want, "%s", query)
	}
}

// A field of a literal whose variable is absent is absent, so that it has its default; null is not.
func TestVariablesInLiterals(t *testing.T) {
	const query = `query($n:Int $s:Int){f(need:1 in:{id:"a" n:$n size:$s})}`
	for sent, want := range map[string]string{`{}`: `map[id:a]`, `{"n":null,"s":4}`: `map[id:a n:<nil> size:4]`} {
		_, values, wrong, _ := coerced(t, query, sent)
		testkit.Equal(t, fmt.Sprint(values["in 0"], len(wrong)), want+" 0", "%s", sent)
	}
	testkit.Equal(t, fmt.Sprint(problemsOf(t, query, `{"s":null}`)), "[BAD_USER_INPUT REQUIRED in.size: it is null, expected Int!]", "null")
}

// Each field with a wrong value knows it, also after the most problems that are said: otherwise it
// would run with what is in the place of the value.
func TestNoWrongFieldRuns(t *testing.T) {
	var declared, variables, literals strings.Builder
	for i := range 40 {
		fmt.Fprintf(&declared, "$v%d:[Int] ", i)
		fmt.Fprintf(&variables, "a%d:f(need:1 ints:$v%d) ", i, i)
		fmt.Fprintf(&literals, `a%d:f(need:1 ints:["x" "y"]) `, i)
	}
	for _, query := range []string{"{" + literals.String() + "}", "query(" + strings.ReplaceAll(declared.String(), "]", `!]=["x" "y"]`) + "){" + variables.String() + "}"} {
		op, _, wrong, _ := coerced(t, query, `{}`)
		for _, f := range fieldsOf(op.SelectionSet) {
			testkit.Check(t, wrong.Of(f) != nil, "%s has no problem", f.Alias)
		}
	}
}

// A literal belongs to each operation that has it, a request cannot set it, and fields with
// the same one are one field.
func TestLiteralsOfOperations(t *testing.T) {
	r := NewReader(Options{Schema: inputs, Limits: Default, Cost: 1000})
	const text = `query A{...F} query B{...F ...F g:f(need:2)} query C{g:f(need:2)} fragment F on Query{f(need:"x") f(need:"x")}`
	for name, wrong := range map[string]bool{"A": true, "B": true, "C": false} {
		op, refusals := r.Operation(t.Context(), text, name, map[string]any{"need 0": 7, "need 1": 7, "need 2": 7})
		testkit.Need(t, len(refusals) == 0, "%s: %v", name, refusals)
		for _, f := range fieldsOf(op.Definition.SelectionSet) {
			got := op.Wrong.Of(f)
			testkit.Check(t, (got != nil) == (f.Alias == "f"), "%s: %s has %v", name, f.Alias, got)
		}
		testkit.Check(t, (len(op.Wrong) > 0) == wrong, "%s: %v", name, op.Wrong)
	}
}
