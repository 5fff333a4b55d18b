//go:build linux

package siege

import (
	"fmt"
	"strings"
	"testing"

	"product-comments/graph/model"
	"product-comments/internal/testkit"
)

// Answers are bounded while they are made, and all of them together: long texts
// under many aliases.
func TestAnswersAreBounded(t *testing.T) {
	s := attacked(t)
	id := model.GlobalID(model.TypeComment, "long-0-0")
	texts := query(`{product(id:"long-0"){comments(first:100){nodes{` + repeated("text", 48) + `}}}}`)
	edges := query(`{product(id:"long-0"){comments(first:100){edges{node{` + repeated("text", 40) + `}}}}}`)
	nodes := query(`{nodes(ids:["` + strings.Repeat(id+`","`, 99) + id + `"]){...on Comment{` + repeated("text", 40) + `}}}`)
	aliased := func(aliases, comments int) request {
		return query(fmt.Sprintf(`{product(id:"long-0"){comments(first:%d){nodes{%s}}}}`, comments, repeated("text", aliases)))
	}
	page := aliased(1, longComments)
	withstands(t, s,
		attack{"a page of the longest texts", page, nil},
		attack{"as much text as the cost allows", aliased(9, longComments), nil},
		attack{"a few comments under many aliases", aliased(90, 9), nil},
		attack{"text under 48 aliases of 100 comments", texts, nil},
		attack{"the same of edges", edges, nil},
		attack{"one comment 100 times", nodes, nil},
		attack{"many products", query(`{` + repeated(`product(id:"long-1"){comments(first:100){nodes{text}}}`, 40) + `}`), nil},
	)
	if t.Failed() {
		return
	}
	s.forgetPeak(t)
	answers := s.crowd(50, 1, 20e9, func(client, _ int) request { return []request{page, aliased(9, 90+client%10)}[client%2] })
	for _, a := range answers {
		testkit.Check(t, a.status == 200 || a.status == 503, "%d %.200s", a.status, a.start)
	}
	t.Logf("50 at once: %d answers, %d MB", len(answers), s.peak(t)>>20)
	peak := s.peak(t)
	testkit.Check(t, peak <= memory, "50 at once took %d MB, --memory is %d MB", peak>>20, memory>>20)
}

// Introspection costs what it answers, and errors are counted.
func TestIntrospectionAndErrorsAreBounded(t *testing.T) {
	s := attacked(t)
	ofType := func(n int, inner string) string { return strings.Repeat("ofType{", n) + inner + strings.Repeat("}", n) }
	nested := `{__schema{types{fields{type{` + ofType(1, `fields{`+repeated("description", 300)+`}`) + `}}}}}`
	wide := `{__schema{types{fields{` + repeated("type{...T}", 40) + `}}}} fragment T on __Type{` + repeated("ofType{name description}", 25) + `}`
	errors := func(most int) func(answer) error {
		return func(a answer) error {
			if len(a.errors) == 0 || len(a.errors) > most {
				return fmt.Errorf("%d errors in %d bytes, the most is %d", len(a.errors), a.bytes, most)
			}
			return nil
		}
	}
	smallOr := func(a answer) error {
		if a.bytes > 4<<20 {
			return fmt.Errorf("%d bytes", a.bytes)
		}
		return nil
	}
	withstands(t, s,
		attack{"nested ofType", query(nested), smallOr},
		attack{"wide introspection", query(wide), smallOr},
		attack{"circular introspection", query(`{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`), refusedWith("GRAPHQL_VALIDATION_FAILED", "BAD_USER_INPUT", "FORBIDDEN")},
		attack{"unknown directives", query("{__typename " + strings.Repeat("@a", 2480) + "}"), errors(50)},
		attack{"unknown fields", query("{" + repeated("x", 1500) + "}"), errors(50)},
		attack{"unknown fragments", query("{" + strings.Repeat("...a ", 2000) + "}"), errors(50)},
		attack{"long names", query("{" + strings.Repeat("x", 100_000) + "}"), func(a answer) error {
			if a.bytes > 10_000 {
				return fmt.Errorf("%d bytes are repeated", a.bytes)
			}
			return nil
		}},
	)
}
