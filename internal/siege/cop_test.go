//go:build linux

package siege

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/internal/testkit"
)

// hardened are the flags of a shop that only lets its own front end in: nobody needs
// to look around.
var hardened = []string{"--no-introspection", "--no-playground"}

// The thirteen checks of graphql-cop, and what is answered to each, as the service is
// by default and hardened. A limit is not a hole: where a check wants one feature to
// be off that is safe when it is bounded, the bound is what is tested.
func TestGraphQLCop(t *testing.T) {
	usual, strict := attacked(t), begin(t, hardened...)
	const ok = "" // answered
	create := `mutation{createComment(input:{productId:"cop",rating:1,language:"en"}){comment{id}}}`
	form := raw("application/x-www-form-urlencoded", []byte("query="+url.QueryEscape("{__typename}")))
	batch := raw("application/json", []byte("["+strings.Repeat(`{"query":"{__typename}"},`, 9)+`{"query":"{__typename}"}]`))
	circular := query(`{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}`)
	const any = "any" // code
	for _, c := range []struct {
		check         string
		request       request
		usual, strict string // code; "" is an answer
		saysNot       string // what the answer must not contain
		saysNotEither string // hardened
	}{
		{"alias overloading", query("{" + repeated("__typename", 500) + "}"), "BAD_USER_INPUT", "BAD_USER_INPUT", `"a499"`, ""},
		{"array-based query batching", batch, "BAD_USER_INPUT", "BAD_USER_INPUT", `"data"`, ""},
		{"directive overloading", query("{__typename" + strings.Repeat("@aa", 50) + "}"), any, any, `"data"`, ""},
		{"circular query by introspection", circular, any, any, `"data"`, ""},
		{"introspection", query(`{__schema{queryType{name}}}`), ok, any, "", `"queryType"`},
		{"field suggestions", query(`{produkt(id:"42"){id}}`), "GRAPHQL_VALIDATION_FAILED", "GRAPHQL_VALIDATION_FAILED", "", "Did you mean"},
		{"GET requests", link(`{__typename}`).with("Sec-Fetch-Site", "cross-site"), any, any, `"data"`, ""},
		{"a mutation by GET", link(create), any, any, `"data":{`, ""},
		{"a form (CSRF)", form, "BAD_USER_INPUT", "BAD_USER_INPUT", `"data"`, ""},
		{"tracing", query(`{__typename}`), ok, ok, `"tracing"`, ""},
		{"an error that is not handled", query(`qwerty cop { abc }`), "GRAPHQL_PARSE_FAILED", "GRAPHQL_PARSE_FAILED", "goroutine", ""},
		{"field duplication", query("query cop {" + strings.Repeat("__typename ", 500) + "}"), "BAD_USER_INPUT", "BAD_USER_INPUT", `"data":{`, ""},
	} {
		for name, s := range map[string]*server{"usual": usual, "hardened": strict} {
			a := testkit.Value(s.send(c.request, 5*time.Second))(t)
			want := c.usual
			if s == strict {
				want = c.strict
			}
			if got := a.code(); got != want && (want != any || got == ok || got == "INTERNAL") {
				t.Errorf("%s, %s: %d %q, want %q: %.300s", c.check, name, a.status, got, want, a.start)
			}
			for _, text := range []string{c.saysNot, c.saysNotEither} {
				if text != "" && bytes.Contains(a.start, []byte(text)) && (s == strict || text == c.saysNot) {
					t.Errorf("%s, %s: %.300s", c.check, name, a.start)
				}
			}
		}
	}
	// The thirteenth: the playground.
	for s, want := range map[*server]bool{usual: true, strict: false} {
		a := testkit.Value(s.send(request{http.MethodGet, "/", nil, http.Header{"Accept": {"text/html"}}}, 5*time.Second))(t)
		testkit.Equal(t, a.status == 200, want, "whether there is a playground: %d", a.status)
	}
}
