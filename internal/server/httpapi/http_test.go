package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/checkout"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// service is apitest's, with the requests of this package's tests.
type service struct{ *apitest.Service }

func serve(t testing.TB, change ...func(*httpapi.Config)) *service {
	t.Helper()
	return &service{apitest.Serve(t, change...)}
}

// The package graphql-http audits servers against the GraphQL over HTTP
// specification.
func TestAudits(t *testing.T) {
	_, ok := checkout.Installed("graphql-http/package.json")
	testkit.Need(t, ok, "the audits are not installed: run make tools")
	s := serve(t)
	out, err := exec.CommandContext(t.Context(), "node", "../../../web/audit.mjs", s.URL+"/graphql").CombinedOutput()
	testkit.Need(t, err == nil, "%v\n%s", err, out)
	var result struct {
		Audits int
		Failed []struct{ ID, Name, Status, Reason string }
	}
	err = json.Unmarshal(out, &result)
	testkit.Need(t, err == nil, "%v in %s", err, out)
	for _, f := range result.Failed {
		t.Errorf("%s %s: %s, %s", f.ID, f.Name, f.Status, f.Reason)
	}
	testkit.Check(t, result.Audits == 61, "%d audits ran, not 61", result.Audits)
}

func TestRequests(t *testing.T) {
	s := serve(t)
	const (
		jsonType = "application/json; charset=utf-8"
		newType  = "application/graphql-response+json; charset=utf-8"
	)
	query := []byte(`{"query":"{product(id:\"42\"){productId}}"}`)
	for _, c := range []struct {
		name, method, path, contentType, accept string
		body                                    []byte
		status                                  int
		want                                    string // content type
		code                                    string // of the error, if one is wanted
	}{
		{"a query by POST is answered", "POST", "/graphql", "application/json", "", query, 200, jsonType, ""},
		{"UTF-8 may be named as the charset", "POST", "/graphql", "application/json; charset=UTF-8", "*/*", query, 200, jsonType, ""},
		{"another charset is refused", "POST", "/graphql", "application/json; charset=latin1", "", query, 415, jsonType, "BAD_USER_INPUT"},
		{"the new media type is answered where it is accepted", "POST", "/graphql", "application/json", "application/graphql-response+json", query, 200, newType, ""},
		{"the preferred media type is answered", "POST", "/graphql", "application/json",
			"application/json;q=0.5, application/graphql-response+json;q=0.9", query, 200, newType, ""},
		{"a browser is answered in JSON", "POST", "/graphql", "application/json", "text/html,*/*;q=0.8", query, 200, jsonType, ""},
		{"a query by GET is answered", "GET", "/graphql?query=" + url.QueryEscape(`{product(id:"42"){id}}`), "", "", nil, 200, jsonType, ""},
		{"a mutation by GET is refused", "GET", "/graphql?query=" + url.QueryEscape(`mutation{deleteComment(input:{id:"1"}){deletedId}}`), "", "", nil, 405, jsonType, "BAD_USER_INPUT"},
		{"GET without a query is refused", "GET", "/graphql", "", "", nil, 400, jsonType, "BAD_USER_INPUT"},
		{"GET with bad variables is refused", "GET", "/graphql?query=x&variables=[1]", "", "", nil, 400, jsonType, "BAD_USER_INPUT"},
		{"a form, which other sites could post, is refused", "POST", "/graphql", "application/x-www-form-urlencoded", "",
			[]byte("query={a}"), 415, jsonType, "BAD_USER_INPUT"},
		{"plain text, which other sites could post, is refused", "POST", "/graphql", "text/plain", "", query, 415, jsonType, "BAD_USER_INPUT"},
		{"a form of parts is refused", "POST", "/graphql", "multipart/form-data; boundary=x", "",
			[]byte("--x\r\nContent-Disposition: form-data; name=\"operations\"\r\n\r\n{}\r\n--x--\r\n"), 415, jsonType, "BAD_USER_INPUT"},
		{"plain text with JSON as a parameter is refused", "POST", "/graphql", "text/plain; application/json", "", query, 415, jsonType, "BAD_USER_INPUT"},
		{"two content types are refused", "POST", "/graphql", "application/json, text/plain", "", query, 415, jsonType, "BAD_USER_INPUT"},
		{"a missing content type is refused", "POST", "/graphql", "", "", query, 415, jsonType, "BAD_USER_INPUT"},
		{"a body that is not JSON is refused", "POST", "/graphql", "application/json", "", []byte("{"), 400, jsonType, "BAD_USER_INPUT"},
		{"a body that continues after the JSON is refused", "POST", "/graphql", "application/json", "", append(query, '1'), 400, jsonType, "BAD_USER_INPUT"},
		{"a body that is too large is refused", "POST", "/graphql", "application/json", "", bytes.Repeat([]byte(" "), 600<<10), 413,
			jsonType, "BAD_USER_INPUT"},
		{"a document that does not parse is an error with status 200 in JSON", "POST", "/graphql", "application/json", "", []byte(`{"query":"{"}`), 200, jsonType,
			"GRAPHQL_PARSE_FAILED"},
		{"a document that is not valid is an error with status 400 in the new media type", "POST", "/graphql", "application/json", "application/graphql-response+json",
			[]byte(`{"query":"{nothing}"}`), 400, newType, "GRAPHQL_VALIDATION_FAILED"},
		{"a literal of the wrong type is an error of its field", "POST", "/graphql", "application/json", "application/graphql-response+json",
			[]byte(`{"query":"{product(id:\"42\"){comments(first:\"x\"){totalCount}}}"}`), 200, newType, "BAD_USER_INPUT"},
		{"so is the same value in a variable", "POST", "/graphql", "application/json", "application/graphql-response+json",
			[]byte(`{"query":"query($n:Int){product(id:\"42\"){comments(first:$n){totalCount}}}","variables":{"n":"x"}}`), 200, newType, "BAD_USER_INPUT"},
		{"after a literal of a directive nothing runs", "POST", "/graphql", "application/json", "application/graphql-response+json",
			[]byte(`{"query":"{__typename @skip(if:\"x\")}"}`), 400, newType, "BAD_USER_INPUT"},
		{"nor after a variable of a directive", "POST", "/graphql", "application/json", "application/graphql-response+json",
			[]byte(`{"query":"query($b:Boolean!){__typename @skip(if:$b)}","variables":{"b":"x"}}`), 400, newType, "BAD_USER_INPUT"},
		{"another method is refused", "PUT", "/graphql", "application/json", "", query, 405, "", ""},
		{"another path is not found", "GET", "/graphiql", "", "", nil, 404, "", ""},
		{"the health of the process is public", "GET", "/healthz", "", "", nil, 200, "", ""},
		{"the readiness of the table is public", "GET", "/readyz", "", "", nil, 200, "", ""},
		{"metrics are not public", "GET", "/metrics", "", "", nil, 404, "", ""},
		{"profiles are not public", "GET", "/debug/pprof/heap", "", "", nil, 404, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, c.method, c.path, c.body, "Content-Type", c.contentType, "Accept", c.accept)
			code := ""
			if len(a.Errors) > 0 {
				code, _ = a.Errors[0].Extensions["code"].(string)
			}
			if a.Status != c.status || (c.want != "" && a.Header.Get("Content-Type") != c.want) || code != c.code {
				t.Errorf("got %d, %s, %s %+v", a.Status, a.Header.Get("Content-Type"), a.Data, a.Errors)
			}
			testkit.Check(t, a.Header.Get("X-Request-Id") != "", "no request id")
		})
	}
}

// What the public may know of the statistics is that the table answers; operators
// see more, at an address of their own.
func TestOperators(t *testing.T) {
	c := httpapi.Config{Store: store.New(gone{}, "gone", store.Options{}), Limits: admission.DefaultLimits, Log: slog.New(slog.DiscardHandler)}
	c.Ready = func(context.Context) error { return nil } // its connections are its own
	s := httpapi.New(c)
	for _, x := range []struct {
		handler http.Handler
		path    string
		status  int
		want    string // in the body
	}{
		{s, "/readyz?verbose", 200, "ok\n"},
		{s.Operators(), "/readyz", 200, "ok\n"},
		{s.Operators(), "/readyz?verbose", 200, "projector: not in this process"},
		{s.Operators(), "/metrics", 200, "go_goroutines"},
		{s.Operators(), "/debug/pprof/", 200, "goroutine"},
		{s.Operators(), "/graphql", 404, ""},
	} {
		w := get(t, x.handler, x.path)
		if w.Code != x.status || !strings.Contains(w.Body.String(), x.want) || (x.handler == http.Handler(s) && strings.Contains(w.Body.String(), "projector")) {
			t.Errorf("%s: %d, %s", x.path, w.Code, w.Body)
		}
	}
}

// A page that an operator visits cannot start a profile.
func TestProfilesAreNotForOtherPages(t *testing.T) {
	operators := httpapi.New(httpapi.Config{Store: store.New(gone{}, "gone", store.Options{}), Log: slog.New(slog.DiscardHandler)}).Operators()
	for site, status := range map[string]int{"": 200, "none": 200, "same-origin": 200, "same-site": 403, "cross-site": 403} {
		for _, path := range []string{"", "cmdline", "heap", "profile?seconds=x", "symbol", "trace?seconds=x"} {
			r := httptest.NewRequest(http.MethodGet, "/debug/pprof/"+path, nil)
			r.Header.Set("Sec-Fetch-Site", site)
			if status == 200 && strings.Contains(path, "seconds") {
				continue // which takes its time
			}
			w := httptest.NewRecorder()
			operators.ServeHTTP(w, r)
			testkit.Check(t, w.Code == status, "%q from %q: %d, not %d: %s", path, site, w.Code, status, w.Body)
		}
	}
}

func TestNotReadyWithoutATable(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Store = store.New(gone{}, "gone", store.Options{}) })
	if a := s.Send(t, "GET", "/readyz", nil); a.Status != http.StatusServiceUnavailable {
		t.Errorf("ready: %d", a.Status)
	}
	if a := s.Send(t, "GET", "/healthz", nil); a.Status != http.StatusOK {
		t.Errorf("healthy: %d", a.Status)
	}
	s.Log.Reset()
	a := s.WantError(t, `{product(id:"42"){productId comments{nodes{id}}}}`, "UNAVAILABLE", "")
	testkit.Equal(t, string(a.Data), `{"product":{"productId":"42","comments":null}}`, "without a table")
	a = s.Post(t, `{products(ids:["1","2","3"]){comments{nodes{id}} stats{totalCount}}}`, nil)
	testkit.Check(t, len(a.Errors) == 6, "%+v", a.Errors)
	warned := strings.Count(s.Log.String(), `"msg":"unavailable"`)
	testkit.Check(t, warned == 2, "%d warnings about two requests:\n%s", warned, s.Log)
}

func TestRequestID(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) { c.Store = store.New(gone{}, "gone", store.Options{}) })
	a := s.Send(t, "GET", "/readyz", nil, "X-Request-Id", "from-the-balancer")
	testkit.Check(t, a.Header.Get("X-Request-Id") == "from-the-balancer" && strings.Count(s.Log.String(), `"request_id":"from-the-balancer"`) == 2, "%v\n%s", a.Header, s.Log)
	a = s.Send(t, "GET", "/healthz", nil, "X-Request-Id", `a" forged="b`)
	testkit.Check(t, !strings.Contains(a.Header.Get("X-Request-Id"), "forged"), "a forged request id was taken")
}

// What tools and front ends ask for is within the limits.
func TestUsualRequestsAreWithinLimits(t *testing.T) {
	s := serve(t)
	for _, query := range []string{
		introspectionQuery,
		`{product(id:"42"){comments(first:100){edges{cursor
			node{id commentId product{id productId} rating language title text author createdAt updatedAt version}}
			pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`,
		`{products(ids:[` + strings.Repeat(`"1",`, 20) + `]){productId
			comments{nodes{id rating language title text author createdAt}pageInfo{endCursor hasNextPage}}}}`,
	} {
		a := s.Post(t, query, nil)
		testkit.Check(t, len(a.Errors) == 0, "%.60s: %+v", query, a.Errors)
	}
	s.WantError(t, `{__schema{types{fields{type{fields{type{fields{name}}}}}}}}`, "GRAPHQL_VALIDATION_FAILED", "")
}

// Each of the playground's tabs begins with what it shows, and its name, which is its file's,
// has two words or more: one word says no more than which feature there is.
func TestTabsSayWhatTheyShow(t *testing.T) {
	files := testkit.Value(filepath.Glob("examples/*.graphql"))(t)
	testkit.Need(t, len(files) > 0, "there are no examples")
	begins := regexp.MustCompile(`^# (Shows|Writes|Marks|Approves) (?:.*\n# )*.*\.\n(?:query|mutation) (\w+) \{\n`)
	for _, file := range files {
		text := testkit.Value(os.ReadFile(file))(t)
		found := begins.FindSubmatch(text)
		testkit.Need(t, found != nil, "%s begins with\n%.150s", file, text)
		words := regexp.MustCompile(`[A-Z][a-z]*`).FindAllString(string(found[2]), -1)
		name := strings.ToLower(strings.Join(words, "-")) + ".graphql"
		testkit.Check(t, len(words) > 1 && name == filepath.Base(file), "%s has the operation %s", file, found[2])
	}
}

// introspectionQuery is as deep as the ones that tools send: nine levels of ofType
// below the arguments of fields.
var introspectionQuery = `query IntrospectionQuery{__schema{queryType{name} mutationType{name} types{...T} directives{name locations args{...I}}}}
fragment T on __Type{kind name description specifiedByURL fields(includeDeprecated:true){name args{...I} type{...R} isDeprecated} inputFields{...I} interfaces{...R} enumValues(includeDeprecated:true){name} possibleTypes{...R}}
fragment I on __InputValue{name description type{...R} defaultValue}
fragment R on __Type{kind name ` + strings.Repeat(`ofType{kind name `, 9) + strings.Repeat(`}`, 10)

// An internal error is logged under an id, and a client sees nothing but the id.
func TestInternalErrors(t *testing.T) {
	for name, fails := range map[string]func(context.Context) error{"an unknown error": func(context.Context) error { return errors.New("secret cause") }, "a panic": panicking} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, func(c *httpapi.Config) { c.Store = store.New(&empty{hold: fails}, "comments", store.Options{}) })
			a := s.WantError(t, `{product(id:"42"){comments{nodes{id}}}}`, "INTERNAL", "")
			id, _ := a.Errors[0].Extensions["id"].(string)
			testkit.Check(t, id != "" && !strings.Contains(a.Errors[0].Message, "secret") && strings.Contains(a.Errors[0].Message, id), "%+v", a.Errors)
			log := s.Log.String()
			testkit.Check(t, strings.Contains(log, id) && strings.Contains(log, "secret cause"), "the log does not explain it: %s", log)
		})
	}
}

// A request that takes too long is stopped with UNAVAILABLE.
func TestRequestTimeout(t *testing.T) {
	s := serve(t, func(c *httpapi.Config) {
		c.Store = store.New(&empty{hold: untilLeft}, "comments", store.Options{})
		c.Limits.Timeout = 20 * time.Millisecond
	})
	s.WantError(t, `{product(id:"42"){comments{nodes{id}}}}`, "UNAVAILABLE", "")
}
