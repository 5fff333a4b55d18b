//go:build linux

package siege

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// chain is a document whose fragments each spread the next one inside so many inline
// fragments, with a field named so many times. Rules on fields that overlap compare
// every pair of them, for every fragment and every nesting anew.
func chain(fragments, nesting, fields int) string {
	var b strings.Builder
	b.WriteString(`{product(id:1){...A0}}`)
	for i := range fragments {
		fmt.Fprintf(&b, "fragment A%d on Product{", i)
		if i < fragments-1 {
			fmt.Fprintf(&b, "...A%d", i+1)
		} else {
			b.WriteString(strings.Repeat("...{", nesting) + strings.Repeat("id ", fields) + strings.Repeat("}", nesting))
		}
		b.WriteString("}")
	}
	return b.String()
}

// Validation ends: fragments, nesting and repeated fields are counted before it.
func TestValidationEnds(t *testing.T) {
	s := attacked(t)
	refused := refusedWith("BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_PARSE_FAILED")
	aliases := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "a%d:id ", i)
		}
		return b.String()
	}
	withstands(t, s,
		attack{"fragments, nesting and repetition", query(chain(20, 20, 500)), refused},
		attack{"the same by GET", link(chain(20, 20, 500)), nil},
		attack{"more of it", query(chain(150, 400, 2400)), refused},
		attack{"less of it", query(chain(50, 16, 50)), nil},
		attack{"just within every limit", query(chain(95, 35, 50)), nil},
		attack{"nesting alone", query(chain(1, 1500, 1)), refused},
		attack{"one field again and again", query("{product(id:1){" + strings.Repeat("id ", 4900) + "}}"), refused},
		attack{"one object again and again", query("{" + strings.Repeat("product(id:1){id}", 600) + "}"), refused},
		attack{"one fragment again and again", query("{product(id:1){" + strings.Repeat("...F ", 2000) + "}} fragment F on Product{id}"), nil},
		attack{"fragments side by side", query(sideBySide(90, 45)), nil},
		attack{"objects of one name in each other", query("{product(id:1){" + bushy(3, 5) + "}}"), nil},
		attack{"fragments that double", query(doubling(20)), nil},
		attack{"aliases", query("{product(id:1){" + aliases(1600) + "}}"), nil},
		attack{"braces", query(strings.Repeat("{a", 2400)), refused},
		attack{"lists in lists", query("{product(id:" + strings.Repeat("[", 4900) + "){id}}"), refused},
		attack{"a cycle of fragments", query("{product(id:1){...A}} fragment A on Product{...B} fragment B on Product{...A}"), refused},
	)
}

// sideBySide is a document with so many fragments that all name one field, each so
// many times.
func sideBySide(fragments, fields int) string {
	var spreads, b strings.Builder
	for i := range fragments {
		fmt.Fprintf(&spreads, "...A%d ", i)
		fmt.Fprintf(&b, "fragment A%d on Product{%s}", i, strings.Repeat("id ", fields))
	}
	return "{product(id:1){" + spreads.String() + "}}" + b.String()
}

// bushy is a selection of a product that names its comments so many times, in each of
// these theirs, and so on.
func bushy(wide, deep int) string {
	if deep == 0 {
		return "id"
	}
	return strings.Repeat("comments(first:1){nodes{product{"+bushy(wide, deep-1)+"}}}", wide)
}

// doubling is a document of which each fragment spreads the next one twice.
func doubling(fragments int) string {
	var b strings.Builder
	b.WriteString(`{product(id:1){...A0}}`)
	for i := range fragments {
		fmt.Fprintf(&b, "fragment A%d on Product{", i)
		if i < fragments-1 {
			fmt.Fprintf(&b, "...A%d ...A%d", i+1, i+1)
		} else {
			b.WriteString("id")
		}
		b.WriteString("}")
	}
	return b.String()
}

// repeated is a list of aliased fields.
func repeated(field string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d:%s ", i, field)
	}
	return b.String()
}

// Lists are bounded before anything is done with them, wherever they stand.
func TestListsAreBounded(t *testing.T) {
	s := attacked(t)
	variable := func(document string, n int) request {
		return raw("application/json", fmt.Appendf(nil, `{"query":%q,"variables":{"r":[5%s]}}`, document, strings.Repeat(",5", n-1)))
	}
	refused := refusedWith("BAD_USER_INPUT", "GRAPHQL_VALIDATION_FAILED")
	field := repeated("comments(ratings:$r,first:1){pageInfo{hasNextPage}}", 200)
	skipped := repeated("comments(ratings:$r,first:1)@skip(if:true){pageInfo{hasNextPage}}", 200)
	withstands(t, s,
		attack{"ratings in a variable", variable(`query($r:[Int!]){product(id:1){`+field+`}}`, 250_000), refused},
		attack{"of fields that are skipped", variable(`query($r:[Int!]){product(id:1){`+skipped+`}}`, 250_000), refused},
		attack{"of nothing", variable(`query($r:[Int!]){product(id:1){id}}`, 250_000), nil},
		attack{"many variables", many(100, 1000), nil},
		attack{"one list in many fields", variable(`query($r:[Int!]){product(id:1){`+repeated("comments(ratings:$r,first:1){__typename}", 99)+`}}`, 1000), nil},
		attack{"ids in a variable", variable(`query($r:[ID!]!){`+repeated("nodes(ids:$r){id}", 100)+`}`, 100_000), refused},
		attack{"lists in lists", raw("application/json", []byte(`{"query":"{__typename}","variables":{"r":`+strings.Repeat("[", 200_000)+`}}`)), nil},
		attack{"nested and closed", raw("application/json", []byte(`{"query":"{__typename}","variables":{"r":`+strings.Repeat("[", 9_000)+strings.Repeat("]", 9_000)+`}}`)), nil},
		attack{"members without end", raw("application/json", []byte(`{"query":"{__typename}","variables":{`+strings.Repeat(`"a":1,`, 80_000)+`"a":1}}`)), nil},
		attack{"extensions without end", raw("application/json", []byte(`{"query":"{__typename}","extensions":{"a":[`+strings.Repeat(`{},`, 150_000)+`1]}}`)), nil},
	)
}

// many is a request with so many variables, each a list of so many values.
func many(variables, values int) request {
	var declared, fields strings.Builder
	given := map[string]any{}
	for i := range variables {
		fmt.Fprintf(&declared, "$v%d:[Int!] ", i)
		fmt.Fprintf(&fields, "a%d:comments(ratings:$v%d,first:1){__typename}", i, i)
		given[fmt.Sprintf("v%d", i)] = make([]int, values)
	}
	return post("query("+declared.String()+"){product(id:1){"+fields.String()+"}}", given)
}

// Members of a request have the names that the specification gives them.
func TestMembersHaveTheirNames(t *testing.T) {
	s := attacked(t)
	for _, body := range []string{
		`{"QUERY":"{__typename}"}`, `{"Query":"{__typename}"}`,
	} {
		if a, err := s.send(raw("application/json", []byte(body)), 5e9); err != nil || a.code() != "BAD_USER_INPUT" {
			t.Errorf("%s: %v %d %s", body, err, a.status, a.start)
		}
	}
	// A name of another case must not change what the proper one says, either.
	a, err := s.send(raw("application/json", []byte(`{"query":"{a:__typename}","QUERY":"{b:__typename}"}`)), 5e9)
	if err != nil || bytes.Contains(a.start, []byte(`"b"`)) {
		t.Errorf("%v %s", err, a.start)
	}
}
