package httpapi_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/testing/apitest"
	"product-comments/internal/testing/testkit"
)

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// persisted is a request that names its document by a hash.
type persisted struct {
	hash, query, variables, operation string
	extensions                        string // instead of the usual ones
}

func (p persisted) extension() string {
	if p.extensions != "" {
		return p.extensions
	}
	return fmt.Sprintf(`{"persistedQuery":{"version":1,"sha256Hash":%q}}`, p.hash)
}

// path returns the URL of the request as a GET.
func (p persisted) path() string {
	values := url.Values{"extensions": {p.extension()}}
	for name, value := range map[string]string{"query": p.query, "variables": p.variables, "operationName": p.operation} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return "/graphql?" + values.Encode()
}

// ask sends the request.
func (s *service) ask(t testing.TB, method string, p persisted, headers ...string) apitest.Answer {
	t.Helper()
	if method == http.MethodGet {
		return s.Send(t, method, p.path(), nil, headers...)
	}
	body := map[string]any{"extensions": json.RawMessage(p.extension())}
	if p.query != "" {
		body["query"] = p.query
	}
	if p.variables != "" {
		body["variables"] = json.RawMessage(p.variables)
	}
	text := testkit.Value(json.Marshal(body))(t)
	return s.Send(t, method, "/graphql", text, append(headers, "Content-Type", "application/json")...)
}

// wantAnswer fails unless there are exactly these data and no errors.
func wantAnswer(t testing.TB, a apitest.Answer, data string) {
	t.Helper()
	testkit.Check(t, a.Status == http.StatusOK && len(a.Errors) == 0 && string(a.Data) == data, "got %d, %s, %+v\nwant %s", a.Status, a.Data, a.Errors, data)
}

// wantRefusal fails unless there is one error of this status, code and field.
func wantRefusal(t testing.TB, a apitest.Answer, status int, code, field string) {
	t.Helper()
	testkit.Need(t, a.Status == status && len(a.Errors) == 1 && a.Errors[0].Extensions["code"] == code, "got %d, %s, %+v\nwant %d, %s", a.Status, a.Data, a.Errors, status, code)
	got, _ := a.Errors[0].Extensions["field"].(string)
	testkit.Check(t, got == field, "the field is %q, not %q", got, field)
}

const notFound = "PERSISTED_QUERY_NOT_FOUND"

// Clients send the hash alone, then hash and document, then the hash alone again.
func TestAutomaticPersistedQueries(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run("a hash is registered by "+method, func(t *testing.T) {
			s := serve(t)
			query := `query Q($id:ID!){product(id:$id){productId}}`
			alone := persisted{hash: hashOf(query), variables: `{"id":"42"}`}
			a := s.ask(t, method, alone)
			wantRefusal(t, a, http.StatusOK, notFound, "")
			testkit.Equal(t, a.Errors[0].Message, "PersistedQueryNotFound", "clients look for another message than")
			wantRefusal(t, s.ask(t, method, alone, "Accept", "application/graphql-response+json"), http.StatusBadRequest, notFound, "")
			both := alone
			both.query = query
			wantAnswer(t, s.ask(t, method, both), `{"product":{"productId":"42"}}`)
			for _, later := range []string{http.MethodGet, http.MethodPost} {
				wantAnswer(t, s.ask(t, later, alone), `{"product":{"productId":"42"}}`)
			}
		})
	}
}

func TestPersistedQueriesAreChecked(t *testing.T) {
	s := serve(t)
	query := `{product(id:"42"){productId}}`
	hash := hashOf(query)
	const extension = "extensions.persistedQuery"
	for _, c := range []struct {
		name  string
		p     persisted
		field string
	}{
		{"the hash of something else", persisted{hash: hashOf("x"), query: query}, extension + ".sha256Hash"},
		{"upper case", persisted{hash: strings.ToUpper(hash), query: query}, extension + ".sha256Hash"},
		{"no hexadecimal digits", persisted{hash: strings.Repeat("g", 64)}, extension + ".sha256Hash"},
		{"too short", persisted{hash: hash[1:], query: query}, extension + ".sha256Hash"},
		{"no hash", persisted{extensions: `{"persistedQuery":{"version":1}}`}, extension + ".sha256Hash"},
		{"a number for a hash", persisted{extensions: `{"persistedQuery":{"version":1,"sha256Hash":1}}`}, extension + ".sha256Hash"},
		{"version 2", persisted{extensions: `{"persistedQuery":{"version":2,"sha256Hash":"` + hash + `"}}`, query: query}, extension + ".version"},
		{"no version", persisted{extensions: `{"persistedQuery":{"sha256Hash":"` + hash + `"}}`, query: query}, extension + ".version"},
		{"no object", persisted{extensions: `{"persistedQuery":"` + hash + `"}`, query: query}, extension},
		{"null is none", persisted{extensions: `{"persistedQuery":null}`}, "query"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			t.Run(c.name+" by "+method, func(t *testing.T) {
				wantRefusal(t, s.ask(t, method, c.p), http.StatusBadRequest, "BAD_USER_INPUT", c.field)
			})
		}
	}
	wantRefusal(t, s.ask(t, http.MethodGet, persisted{hash: hash}), http.StatusOK, notFound, "") // none of them registered it
}

// Clients cannot fill the memory. No document is kept that is not valid or is large,
// and all of them together take a bounded number of bytes.
func TestRegisteredQueriesAreBounded(t *testing.T) {
	s := serve(t)
	register := func(query string) persisted {
		s.ask(t, http.MethodPost, persisted{hash: hashOf(query), query: query})
		return persisted{hash: hashOf(query)}
	}
	for name, query := range map[string]string{
		"a document that is not GraphQL": `{`,
		"a document of another schema":   `{nothing}`,
		"a document that is too deep":    `{product(id:"1"){` + strings.Repeat(`comments{nodes{product{`, 10) + `id` + strings.Repeat(`}}}`, 10) + `}}`,
		"a document larger than 8 KiB":   `{product(id:"42"){productId}}` + strings.Repeat(" ", 8<<10),
	} {
		t.Run(name, func(t *testing.T) {
			wantRefusal(t, s.ask(t, http.MethodPost, register(query)), http.StatusOK, notFound, "")
		})
	}
	first := register(`{product(id:"first"){productId}}`)
	wantAnswer(t, s.ask(t, http.MethodPost, first), `{"product":{"productId":"first"}}`)
	var all []persisted
	for i := range 1500 { // of which some 1,000 fit
		all = append(all, register(fmt.Sprintf(`{product(id:"%d"){productId}}`, i)+strings.Repeat(" ", 8000)))
	}
	known := 0
	for _, p := range all {
		if a := s.ask(t, http.MethodPost, p); len(a.Errors) == 0 {
			known++
		}
	}
	testkit.Check(t, known >= 500 && known <= 1050, "%d documents of 8 KB are kept", known)
}

// A flood of documents does not displace the documents in use, and its client pays for their bytes.
func TestRegisteredQueriesInUseStay(t *testing.T) {
	for _, flood := range []struct {
		documents, bytes int
		charge           string
	}{{4000, 8000, `"charge":11}`}, {400, 63_000, `"charge":66}`}} {
		h := handler(t, &empty{})
		send := func(from string, p persisted) string {
			body := fmt.Sprintf(`{"query":%q,"extensions":%s}`, p.query, p.extension())
			return asked{"POST", "/graphql", from, body, nil}.to(h).Body.String()
		}
		var used []persisted
		use := func() (lost int) {
			for _, p := range used {
				if strings.Contains(send(visitor, persisted{hash: p.hash}), notFound) {
					lost++
				}
			}
			return lost
		}
		for i := range 20 {
			query := fmt.Sprintf(`{product(id:"used%d"){productId}}`, i)
			used = append(used, persisted{hash: hashOf(query), query: query})
			send(visitor, used[i])
		}
		lost := 0
		for i := range flood.documents {
			query := fmt.Sprintf(`{product(id:"%d"){productId}}`, i) + strings.Repeat(" ", flood.bytes)
			answer := send("192.0.2.66", persisted{hash: hashOf(query), query: query})
			testkit.Need(t, strings.Contains(answer, flood.charge), "a document of %d bytes: %s, want %s", flood.bytes, answer, flood.charge)
			if i%200 == 0 {
				lost += use()
			}
		}
		testkit.Check(t, lost+use() == 0, "a flood of %d documents of %d bytes displaced %d", flood.documents, flood.bytes, lost)
	}
}

func TestPersistedMutations(t *testing.T) {
	s := serve(t)
	mutation := `mutation{deleteComment(input:{id:"none"}){deletedId}}`
	p := persisted{hash: hashOf(mutation), query: mutation}
	wantRefusal(t, s.ask(t, http.MethodGet, p), http.StatusMethodNotAllowed, "BAD_USER_INPUT", "")
	if a := s.ask(t, http.MethodPost, p, apitest.Authorization(t, apitest.Mia)...); a.Errors[0].Extensions["code"] != "NOT_FOUND" {
		t.Errorf("by POST: %+v", a.Errors)
	}
	p.query = ""
	a := s.ask(t, http.MethodGet, p)
	wantRefusal(t, a, http.StatusMethodNotAllowed, "BAD_USER_INPUT", "")
	testkit.Check(t, a.Header.Get("Allow") == "POST" && a.Header.Get("Cache-Control") == "no-store", "%v", a.Header)
	a = s.ask(t, http.MethodPost, p, apitest.Authorization(t, apitest.Mia)...)
	testkit.Check(t, a.Errors[0].Extensions["code"] == "NOT_FOUND", "by POST and hash: %+v", a.Errors)
}

func writeManifest(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "manifest.json")
	testkit.Must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func manifestOf(operations string) string {
	return `{"format":"apollo-persisted-query-manifest","version":1,"operations":[` + operations + `]}`
}

func entry(id, body string) string {
	return fmt.Sprintf(`{"id":%q,"name":"Q","type":"query","body":%q}`, id, body)
}

// Documents of the manifest are known from the start, and stay whatever clients register.
func TestManifest(t *testing.T) {
	query := `query Q{product(id:"42"){productId}}`
	m := testkit.Value(httpapi.ReadManifest(writeManifest(t, manifestOf(entry(hashOf(query), query))), admission.DefaultLimits))(t)
	s := serve(t, func(c *httpapi.Config) { c.Manifest = m })
	for i := range 1100 {
		other := fmt.Sprintf(`{product(id:"%d"){id}}`, i)
		s.ask(t, http.MethodPost, persisted{hash: hashOf(other), query: other})
	}
	wantAnswer(t, s.ask(t, http.MethodGet, persisted{hash: hashOf(query)}), `{"product":{"productId":"42"}}`)
}

func TestBadManifests(t *testing.T) {
	good := `{product(id:"42"){productId}}`
	fine := entry(hashOf(good), good)
	for name, c := range map[string]struct{ content, want string }{
		"a file that is not JSON":                        {`{`, "not a manifest"},
		"a file of another format":                       {`{"format":"list","version":1}`, `"apollo-persisted-query-manifest"`},
		"a file without documents":                       {`{"operations":[]}`, "nor an id with a document"},
		"an id twice":                                    {`{"a":"{__typename}","a":"{__typename}"}`, "duplicate"},
		"an id of two documents":                         {manifestOf(entry("a", good) + "," + entry("a", "{__typename}")), `its id "a" is used by another entry`},
		"a file of another version":                      {`{"format":"apollo-persisted-query-manifest","version":2}`, "version"},
		"a document with the hash of another":            {manifestOf(fine + "," + entry(hashOf("x"), good)), "operations[1] (Q): its id must be the SHA-256 of its body, which is " + hashOf(good)},
		"a document without an id":                       {manifestOf(entry("", good)), "1 to 200 bytes"},
		"a document that is not GraphQL":                 {manifestOf(fine + "," + fine + "," + entry(hashOf("{"), "{")), "operations[2] (Q): its body is not a document"},
		"a document of another schema":                   {manifestOf(entry(hashOf("{nothing}"), "{nothing}")), "nothing"},
		"a document without an operation":                {manifestOf(entry(hashOf(""), "")), "no operation"},
		"a document of another schema in Relay's format": {`{"md5":"{nothing}"}`, "operations[0] (md5): its body is not a document"},
		"a document with more tokens than the limit":     {manifestOf(entry(hashOf(`{`+strings.Repeat("a:__typename ", 100)+`}`), `{`+strings.Repeat("a:__typename ", 100)+`}`)), "token"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := admission.DefaultLimits
			limits.Tokens = 100
			_, err := httpapi.ReadManifest(writeManifest(t, c.content), limits)
			testkit.Check(t, err != nil && strings.Contains(err.Error(), c.want) && strings.Contains(err.Error(), "manifest.json"), "%v", err)
		})
	}
	_, err := httpapi.ReadManifest(filepath.Join(t.TempDir(), "none"), admission.DefaultLimits)
	testkit.Check(t, err != nil && strings.Contains(err.Error(), "read the persisted queries"), "no file: %v", err)
}
