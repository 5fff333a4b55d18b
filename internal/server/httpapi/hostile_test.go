package httpapi_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
)

// wantRefused fails unless a request is answered with one error that has this
// reason, value and limit, and says both numbers. A negative value is any.
func wantRefused(t *testing.T, name string, a apitest.Answer, reason string, value, limit float64) {
	t.Helper()
	if len(a.Errors) != 1 || (len(a.Data) > 0 && string(a.Data) != "null") {
		t.Errorf("%s: got %.200s, %+v, want %s", name, a.Data, a.Errors, reason)
		return
	}
	listed := limitOf(t, reason).most
	configured := reason == "value_nesting" || reason == "answer" // by the tests
	testkit.Check(t, listed == limit || configured, "%s: the limit is %v, docs/api.md has %v", name, limit, listed)
	e := a.Errors[0]
	got, _ := e.Extensions["value"].(float64)
	if e.Extensions["code"] != "BAD_USER_INPUT" || e.Extensions["reason"] != reason || (value >= 0 && got != value) ||
		e.Extensions["limit"] != limit || !strings.Contains(e.Message, fmt.Sprint(int(limit))) || !strings.Contains(e.Message, fmt.Sprint(int(got))) {
		t.Errorf("%s: got %+v, want %s %v of %v", name, e, reason, value, limit)
	}
}

func (s *service) body(t testing.TB, body string) apitest.Answer {
	t.Helper()
	return s.Send(t, http.MethodPost, "/graphql", []byte(body), "Content-Type", "application/json")
}

// What a document, its variables or the request around it may hold.
func TestHostileRequests(t *testing.T) {
	s := serve(t)
	chain := func(fragments, depth, often int) string {
		text := `{product(id:1){...A0}}`
		for i := range fragments {
			text += fmt.Sprintf(` fragment A%d on Product{%s %s %s ...A%d}`, i, strings.Repeat("...{", depth),
				strings.Repeat("id ", often), strings.Repeat("}", depth), i+1)
		}
		return text + fmt.Sprintf(` fragment A%d on Product{id}`, fragments)
	}
	// 40 fragments that each spread the next one twice would be followed 2^40 times.
	bomb := `query{product(id:"1"){comments{nodes{...f0}}}} fragment f40 on Comment{id rating}`
	for i := range 40 {
		bomb += fmt.Sprintf(` fragment f%d on Comment{...f%d ...f%d}`, i, i+1, i+1)
	}
	deep := strings.Repeat(`product{comments(first:0){nodes{`, 5) + `id` + strings.Repeat(`}}}`, 5)
	for _, c := range []struct {
		name, query, reason string
		value, limit        float64
	}{
		{"fragments around one name", chain(20, 20, 500), "tokens", -1, 5000},
		{"fragments around one name, within the tokens", chain(20, 20, 60), "occurrences", 51, 50},
		{"fragments", chain(120, 1, 1), "fragments", 121, 100},
		{"fragments that double", bomb, "fields", 1 << 40, 5000},
		{"tokens", `{` + strings.Repeat(`a:product(id:"1"){id} `, 2000) + `}`, "tokens", 22002, 5000},
		{"depth", `{product(id:"1"){comments{nodes{` + deep + `}}}}`, "depth", 19, 16},
		{"large pages of many products", `{products(ids:[` + strings.Repeat(`"1",`, 100) + `]){comments(first:100){nodes{rating}}}}`, "cost", 100 * (20 + 100*3), 10000},
		// 321 + 21 + 99 × (20 + 20 × (1 item + 1 node + 1 field + 10 for the text))
		{"sizes that a resolver would refuse, clamped", `{a:product(id:"1"){comments(first:2147483647){nodes{rating}}} b:product(id:"1"){comments(last:-5){nodes{rating}}}
			c:products(ids:[` + strings.Repeat(`"1",`, 99) + `]){comments{nodes{rating text}}}}`, "cost", 321 + 21 + 99*280, 10000},
		{"nesting", `{product(id:1){` + strings.Repeat("...{", 400) + "id" + strings.Repeat("}", 400) + `}}`, "nesting", 41, 40},
		{"aliases", `{` + testkit.Each(101, "a%d:__typename") + `}`, "aliases", 101, 100},
		{"one field again and again", `{` + strings.Repeat("__typename ", 500) + `}`, "occurrences", 51, 50},
		{"directives at one field", `{__typename ` + strings.Repeat("@aa", 10) + `}`, "directives_in_one_place", 10, 5},
		{"directives", `{` + testkit.Each(101, `a%d:__typename@skip(if:false)`) + `}`, "aliases", -1, 100},
		{"texts under many names", `{product(id:"1"){comments(first:100){nodes{` + testkit.Each(48, "a%d:text") + `}}}}`, "cost", 1 + 20 + 100*(1+1+480), 10000},
		{"a page of nothing but names for many products", `{products(ids:[` + strings.Repeat(`"1" `, 100) + `]){comments(first:100){__typename}}}`, "cost", 12100, 10000},
		{"mutations", `mutation{` + testkit.Each(11, `a%d:deleteComment(input:{id:"none"}){deletedId}`) + `}`, "mutations", 11, 10},
		{"mutations in a fragment", `mutation{...M ...M} fragment M on Mutation{` + testkit.Each(11, `a%d:deleteComment(input:{id:"none"}){deletedId}`) + `}`, "mutations", 11, 10},
		{"what a mutation's payload queries", `mutation{deleteComment(input:{id:"none"}){query{products(ids:[` + strings.Repeat(`"1" `, 100) + `]){comments(first:100){__typename}}}}}`, "cost", 20 + 1 + 12100, 10000},
		{"depth in a payload's query", `mutation{deleteComment(input:{id:"none"}){query{` + `product(id:"1"){viewerComments(first:1){nodes{` + strings.Repeat(`product{viewerComments(first:1){nodes{`, 6) + "id" + strings.Repeat("}", 21) + `}}}`, "depth", 24, 16},
		{"types of types in a payload's query", `mutation{deleteComment(input:{id:"none"}){query{__schema{types{fields{` + testkit.Each(50, "a%d:type{ofType{fields{name description type{name}}}}") + `}}}}}}`, "cost", -1, 10000},
		{"types of types", `{__schema{types{fields{` + testkit.Each(50, "a%d:type{ofType{fields{name description type{name}}}}") + `}}}}`, "cost", -1, 10000},
		{"a long list", `{product(id:1){comments(ratings:[` + strings.Repeat("5 ", 1001) + `]){nodes{id}}}}`, "list_length", 1001, 1000},
	} {
		quickly(t, c.name, func() { wantRefused(t, c.name, s.Post(t, c.query, nil), c.reason, c.value, c.limit) })
		if len(c.query) < 4000 {
			wantRefused(t, c.name+" by GET", s.Send(t, "GET", "/graphql?query="+url.QueryEscape(c.query), nil), c.reason, c.value, c.limit)
		}
	}
	ratings := strings.Repeat("5,", 250_000-1) + "5"
	many := `{"query":"query($r:[Int!],$s:Boolean!){` + testkit.Each(90, `a%d:product(id:1)@skip(if:$s){comments(ratings:$r){nodes{id}}}`) + `}","variables":{"s":true,"r":[` + ratings + `]}}`
	quickly(t, "a long list in a variable", func() {
		wantRefused(t, "a long list in a variable", s.body(t, many[:len(many)-8]+`]}}`), "list_length", 1001, 1000)
	})
	wantRefused(t, "deep variables", s.body(t, `{"query":"{__typename}","variables":{"a":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)+`}}`), "value_nesting", 13, 12)
	wantRefused(t, "deep extensions", s.body(t, `{"query":"{__typename}","extensions":{"a":`+strings.Repeat(`{"a":`, 100)+`1`+strings.Repeat("}", 100)+`}}`), "value_nesting", 13, 12)
	wantRefused(t, "many variables", s.body(t, `{"query":"{__typename}","variables":{`+strings.TrimSuffix(strings.TrimSpace(testkit.Each(10_001, `"a%d":1,`)), ",")+`}}`), "values", 10_001, 10_000)
	wantRefused(t, "a large body", s.body(t, strings.Repeat(" ", 600<<10)), "body", 600<<10, 512<<10)
	wantRefused(t, "a long id", s.body(t, `{"id":"`+strings.Repeat("a", 201)+`"}`), "id_length", 201, 200)
}

// quickly fails unless something takes at most a second of processor.
func quickly(t *testing.T, what string, do func()) {
	t.Helper()
	most := testkit.Spent{Processor: time.Second, Bytes: math.MaxInt64}
	spent := testkit.Least(most, func() testkit.Spent { return testkit.Measure(t, do) })
	testkit.Check(t, spent.Within(most), "%s takes %s of processor", what, spent.Processor)
}

// Members of a request count by their exact name, and once. Others are ignored.
func TestMembersOfRequests(t *testing.T) {
	s := serve(t)
	for body, want := range map[string]struct{ code, reason string }{
		`{"query":"{__typename}","QUERY":"{","Variables":[],"unknown":{"deep":[1]},"variables":null}`: {},
		`{"QUERY":"{__typename}"}`:                            {"BAD_USER_INPUT", "malformed"},
		`{"query":"{__typename}","query":"{"}`:                {"BAD_USER_INPUT", "malformed"},
		`{"query":"{__typename}","variables":{"a":1,"a":2}}`:  {"BAD_USER_INPUT", "malformed"},
		`[{"query":"{__typename}"},{"query":"{__typename}"}]`: {"BAD_USER_INPUT", "batch"},
		`"{__typename}"`:                                                {"BAD_USER_INPUT", "malformed"},
		"{\"query\":\"{__typename}\xff\"}":                              {"BAD_USER_INPUT", "malformed"},
		`{"query":"{__typename}","variables":"{}"}`:                     {"BAD_USER_INPUT", "malformed"},
		`{"query":"query A{__typename}","operationName":"B"}`:           {"BAD_USER_INPUT", "UNKNOWN_OPERATION"},
		`{"query":"{__typename}","operationName":"B"}`:                  {"BAD_USER_INPUT", "UNKNOWN_OPERATION"},
		`{"query":"query A{__typename} query B{__typename}"}`:           {"BAD_USER_INPUT", "REQUIRED"},
		`{"query":"query($i:Int){__typename}","variables":{}}`:          {"GRAPHQL_VALIDATION_FAILED", "not_valid"},
		`{"query":"query($i:ID!){product(id:$i){id}}"}`:                 {"BAD_USER_INPUT", "REQUIRED"},
		`{"query":"{product(id:1){... @defer {comments{nodes{id}}}}}"}`: {"GRAPHQL_VALIDATION_FAILED", "not_valid"},
	} {
		a := s.body(t, body)
		if want.code == "" {
			wantAnswer(t, a, `{"__typename":"Query"}`)
			continue
		}
		testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == want.code && a.Errors[0].Extensions["reason"] == want.reason, "%s: %s, %+v, want %v", body, a.Data, a.Errors, want)
	}
	a := s.Send(t, "GET", "/graphql?query={__typename}&query={", nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["field"] == "query", "two queries: %+v", a)
	long := s.body(t, `{"query":"{__typename}","operationName":"`+strings.Repeat("x", 100_000)+`"}`)
	testkit.Check(t, len(long.Errors) == 1 && len(long.Errors[0].Message) <= 1100, "an error repeats what was sent: %d bytes", len(long.Errors[0].Message))
}

// What is not Unicode is refused, with the field that it stands in, wherever a request can
// have it: it would become U+FFFD, and so the same as another text.
func TestRequestsThatAreNotUnicode(t *testing.T) {
	s := serve(t)
	const query = `"query":"query($i:ID,$in:CreateCommentInput){__typename}"`
	type want struct{ code, field string }
	for body, want := range map[string]want{
		`{` + query + `,"variables":{"i":"x\ud800"}}`:                                                  {"BAD_USER_INPUT", "variables.i"},
		"{" + query + ",\"variables\":{\"i\":\"x\xff\"}}":                                              {"BAD_USER_INPUT", "variables.i"},
		`{` + query + `,"variables":{"i":["x\ud800"]}}`:                                                {"BAD_USER_INPUT", "variables.i.0"},
		`{` + query + `,"variables":{"in":{"text":"nice \ud83d"}}}`:                                    {"BAD_USER_INPUT", "text"},
		`{` + query + `,"variables":{"in":{"attributes":[{"key":"a","value":"b"},{"key":"\ude00"}]}}}`: {"BAD_USER_INPUT", "attributes.1.key"},
		`{` + query + `,"operationName":"\ud83d"}`:                                                     {"BAD_USER_INPUT", "operationName"},
		`{"query":"{__typename} # \ud83d"}`:                                                            {"BAD_USER_INPUT", "query"},
		`{"query":"{product(id:\"x\\ud83d\"){id}}"}`:                                                   {"GRAPHQL_PARSE_FAILED", "<nil>"},
		`{"query":"{product(id:\"x\\ud83d\\ude00\"){id}}","variables":{"i":"\ud83d\ude00"}}`:           {"", ""},
	} {
		a := s.body(t, body)
		switch {
		case want.code == "" && len(a.Errors) > 0,
			want.code != "" && (len(a.Errors) != 1 || a.Errors[0].Extensions["code"] != want.code || fmt.Sprint(a.Errors[0].Extensions["field"]) != want.field || !strings.Contains(a.Errors[0].Message, "an unpaired surrogate") && !strings.Contains(a.Errors[0].Message, "not valid UTF-8")):
			t.Errorf("%q: %+v, want %v", body, a.Errors, want)
		}
	}
	for query, want := range map[string]want{
		"query={__typename}&variables=" + url.QueryEscape(`{"i":"x\ud800"}`):              {"BAD_USER_INPUT", "variables.i"},
		"query={__typename}&variables=" + url.QueryEscape("{\"in\":{\"text\":\"\xff\"}}"): {"BAD_USER_INPUT", "text"},
		"query=" + url.QueryEscape("{product(id:\"x\xff\"){id}}"):                         {"GRAPHQL_PARSE_FAILED", "<nil>"},
		"query=" + url.QueryEscape("{product(id:\"\"\"x\xff\"\"\"){id}}"):                 {"GRAPHQL_PARSE_FAILED", "<nil>"},
	} {
		a := s.Send(t, "GET", "/graphql?"+query, nil)
		testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == want.code && fmt.Sprint(a.Errors[0].Extensions["field"]) == want.field, "%s: %+v, want %v", query, a.Errors, want)
	}
}

// Null instead of a default value does not pass where null is not allowed, and
// nothing is read or written under its name.
func TestNullWhereADefaultStands(t *testing.T) {
	s := serve(t)
	for _, c := range []struct{ query, variables, field string }{
		{`query($b:Boolean=true){__typename @include(if:$b)}`, `{"b":null}`, "variables.b"},
		{`query($b:Boolean=true){product(id:"1"){...F @skip(if:$b)}} fragment F on Product{id}`, `{"b":null}`, "variables.b"},
		{`query($b:Boolean=true){product(id:"1"){...F}} fragment F on Product{...@include(if:$b){id}}`, `{"b":null}`, "variables.b"},
		{`query($p:ID="x"){product(id:$p){productId}}`, `{"p":null}`, "id"},
		{`query($p:ID="x"){products(ids:["1",$p]){productId}}`, `{"p":null}`, "ids"},
		{`mutation($p:ID="x"){createComment(input:{productId:$p,rating:5,language:"en"}){comment{id}}}`, `{"p":null}`, "productId"},
		{`query($r:Int=1){product(id:"1"){comments(ratings:[$r]){nodes{id}}}}`, `{"r":null}`, "ratings"},
	} {
		var variables map[string]any
		testkit.Must(t, json.Unmarshal([]byte(c.variables), &variables))
		a := s.Post(t, c.query, variables)
		runs := !strings.HasPrefix(c.field, "variables.")
		if len(a.Errors) != 1 || a.Errors[0].Extensions["reason"] != "REQUIRED" || a.Errors[0].Extensions["field"] != c.field || runs != (len(a.Data) > 0) {
			t.Errorf("%s: %s, %+v", c.query, a.Data, a.Errors)
		}
	}
	wantAnswer(t, s.Post(t, `query($b:Boolean=true,$p:ID="x",$l:String){product(id:$p){productId @include(if:$b) comments(language:$l){nodes{id}}}}`,
		map[string]any{"l": nil}), `{"product":{"productId":"x","comments":{"nodes":[]}}}`)
	testkit.Check(t, !strings.Contains(s.Log.String(), "panic"), "it panicked: %s", s.Log)
}

// A panic in every element of a list is one stack in the log.
func TestOneStackARequest(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Store = store.New(&empty{hold: panicking}, "comments", store.Options{}) })
	a := s.Post(t, `{products(ids:["1","2","3","4"]){comments{nodes{id}}}}`, nil)
	if len(a.Errors) == 0 || strings.Count(s.Log.String(), `"stack"`) > 1 {
		t.Errorf("%+v\n%d stacks", a.Errors, strings.Count(s.Log.String(), `"stack"`))
	}
}

// An answer that gets too long is stopped while it is written, a process that writes it.
func TestLongAnswers(t *testing.T) {
	const most = 250_000 // more than the schema takes
	s := serve(t, func(c *httpapi.Config) { c.Limits.Answer = most })
	comments := apitest.Comments(60)
	for i := range comments {
		comments[i].Text = strings.Repeat("long\n", 3900)
	}
	s.Fill(t, comments...)
	node := s.Post(t, `{product(id:"42"){comments(first:1){nodes{id}}}}`, nil).At(t, "product", "comments", "nodes", 0, "id").(string)
	ids := strings.Repeat(fmt.Sprintf("%q ", node), 40)
	for name, query := range map[string]string{
		"a page":           `{product(id:"42"){comments(first:60){nodes{text}}}}`,
		"edges":            `{product(id:"42"){comments(first:60){edges{node{text}}}}}`,
		"one object":       `{comment(id:"c001"){` + testkit.Each(20, "a%d:text") + `}}`,
		"the same again":   `{nodes(ids:[` + ids + `]){...on Comment{text}}}`,
		"the same, slowly": `{nodes(ids:[` + ids + `]){...on Comment{text product{stats{__typename} id}}}}`,
	} {
		a := s.Post(t, query, nil)
		wantRefused(t, name, a, "answer", -1, most)
		value, _ := a.Errors[0].Extensions["value"].(float64)
		testkit.Check(t, value <= most+21*20_000, "%s: %v bytes were written", name, value)
		testkit.Check(t, a.Extensions.Cost != nil && string(a.Data) == "null", "%s: %s, %+v", name, a.Data, a.Extensions)
	}
	a := s.Post(t, `{product(id:"42"){comments(first:5){nodes{text}}}}`, nil)
	testkit.Check(t, len(a.Errors) == 0, "a short one: %+v", a.Errors)
	a = s.Post(t, introspectionQuery, nil)
	testkit.Check(t, len(a.Errors) == 0, "the schema: %+v", a.Errors)
}

// A request that has read enough reads no more, and gets no part of a page.
func TestReadUnitsAreBounded(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Limits.ReadUnits = 40 })
	comments := apitest.Comments(120)
	for i := range comments {
		comments[i].Text = strings.Repeat("long ", 3900)
		comments[i].ProductID = fmt.Sprint(42 + i%3)
	}
	s.Fill(t, comments...)
	a := s.Post(t, `{products(ids:["42","43","44"]){comments(first:40){nodes{text}}}}`, nil)
	testkit.Need(t, len(a.Errors) != 0, "it read %v units", a.Extensions.Cost.ReadUnits)
	for _, e := range a.Errors {
		testkit.Check(t, e.Extensions["reason"] == "read_units" && e.Extensions["limit"] == 40.0 && strings.Contains(e.Message, "40"), "%+v", e)
	}
	testkit.Check(t, a.Extensions.Cost.ReadUnits <= 40+800, "it read %v units", a.Extensions.Cost.ReadUnits)
	a = s.Post(t, `{product(id:"42"){comments(first:1){nodes{text}}}}`, nil)
	testkit.Check(t, len(a.Errors) == 0, "a short page: %+v", a.Errors)
}

// A server may keep its schema to itself.
func TestWithoutIntrospection(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.NoIntrospection = true })
	a := s.Post(t, introspectionQuery, nil)
	testkit.Check(t, len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == "FORBIDDEN" && a.Errors[0].Extensions["reason"] == "introspection_off", "%s, %+v", a.Data, a.Errors)
	a = s.Post(t, `{produkt{id}}`, nil)
	testkit.Check(t, len(a.Errors) == 1 && !strings.Contains(a.Errors[0].Message, "mean"), "it helps to guess: %+v", a.Errors)
	wantAnswer(t, s.Post(t, `{__typename product(id:"1"){__typename}}`, nil), `{"__typename":"Query","product":{"__typename":"Product"}}`)
}

// An answer tells the first errors of its fields and how many there are, also if one
// argument causes all.
func TestErrorsAreBounded(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Store = store.New(gone{}, "gone", store.Options{}) })
	ids := `products(ids:[` + testkit.Each(100, `"%d"`) + `])`
	a := s.Post(t, `{`+ids+`{`+testkit.Each(3, `a%d:comments(first:1){totalCount}`)+`}}`, nil)
	if len(a.Errors) != 201 {
		t.Fatalf("%d errors: %+v", len(a.Errors), a.Errors[:min(len(a.Errors), 3)])
	}
	last := a.Errors[200]
	e := last.Extensions
	testkit.Check(t, e["code"] == "UNAVAILABLE" && e["reason"] == "errors" && e["value"] == 300.0 && e["limit"] == 200.0 && strings.Contains(last.Message, "300"), "%+v", last)
	a = s.Post(t, `{`+ids+`{comments(first:0,language:"!"){totalCount}}}`, nil)
	testkit.Check(t, len(a.Errors) == 100, "%d errors are about the language", len(a.Errors))
}
