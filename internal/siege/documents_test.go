//go:build linux

package siege

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/internal/testkit"
)

// repeated is a list of aliased fields.
func repeated(field string, n int) string { return testkit.Each(n, "a%d:"+field) }

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
