//go:build linux

package siege

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
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
			a, err := s.send(c.request, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
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
		a, err := s.send(request{http.MethodGet, "/", nil, http.Header{"Accept": {"text/html"}}}, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.status == 200; got != want {
			t.Errorf("the playground: %d, wanted %v", a.status, want)
		}
	}
}

// What graphql-armor limits has a limit here, whose refusal says what the request has
// and what is allowed.
func TestGraphQLArmor(t *testing.T) {
	s := attacked(t)
	deep := strings.Repeat("product{comments{nodes{", 12)
	for _, c := range []struct {
		limit   string
		request request
	}{
		{"aliases", query("{" + repeated("__typename", 500) + "}")},
		{"depth", query(`{comment(id:"1"){` + deep + "id" + strings.Repeat("}", strings.Count(deep, "{")) + `}}`)},
		{"tokens", query("{" + strings.Repeat("__typename ", 6000) + "}")},
		{"directives", query("{__typename " + strings.Repeat("@include(if:true)", 50) + "}")},
		{"cost", query(`{product(id:"42"){comments(first:100){nodes{product{comments(first:100){nodes{id}}}}}}}`)},
		{"characters", query("{__typename #" + strings.Repeat("x", 600<<10) + "\n}")},
	} {
		a, err := s.send(c.request, 5*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if a.code() == "" || a.code() == "INTERNAL" || strings.Count(digits(a.says()), " ") < 1 && c.limit != "tokens" && c.limit != "characters" {
			t.Errorf("%s: %d %.300s", c.limit, a.status, a.start)
		}
		if digits(a.says()) == "" {
			t.Errorf("%s: the limit is not told: %s", c.limit, a.says())
		}
	}
}

// digits returns the numbers of a text, each followed by a space.
func digits(text string) string {
	numbers := strings.FieldsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	var b strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&b, "%s ", n)
	}
	return b.String()
}

// Every refusal is one error with a code and a sentence, in JSON.
func TestRefusalsAreJSON(t *testing.T) {
	s := attacked(t)
	for name, r := range map[string]request{
		"nothing":                        raw("application/json", nil),
		"no object":                      raw("application/json", []byte("1")),
		"null":                           raw("application/json", []byte("null")),
		"a number as query":              raw("application/json", []byte(`{"query":1}`)),
		"half":                           raw("application/json", []byte(`{"query":"{__type`)),
		"a large body":                   raw("application/json", bytes.Repeat([]byte(" "), 600<<10)),
		"a long link":                    link(strings.Repeat("a", 20<<10)),
		"variables of text":              raw("application/json", []byte(`{"query":"{__typename}","variables":"x"}`)),
		"an unknown hash":                raw("application/json", []byte(`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"`+strings.Repeat("0", 64)+`"}}}`)),
		"an operation that is not there": raw("application/json", []byte(`{"query":"query a{__typename}","operationName":"b"}`)),
		"two operations":                 query("query a{__typename} query b{__typename}"),
		"a subscription":                 query("subscription{x}"),
	} {
		a, err := s.send(r, 5*time.Second)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !json.Valid(a.start) || len(a.errors) != 1 || a.code() == "" || a.code() == "INTERNAL" || a.says() == "" || a.status >= 500 {
			t.Errorf("%s: %d %.300s", name, a.status, a.start)
		}
	}
}
