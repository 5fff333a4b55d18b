package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"product-comments/internal/httpapi"
	"product-comments/internal/testkit"
)

// With --operations nothing runs but what the manifest has, whichever compiler wrote
// it and however a client names it.
func TestOnlyOperationsOfTheManifest(t *testing.T) {
	const query = `query Q($id:ID!){product(id:$id){productId}}`
	const md5 = "3f2b9c1d4e5f60718293a4b5c6d7e8f9"
	for name, manifest := range map[string]string{
		"Relay":  fmt.Sprintf(`{%q:%q,"other":"{__typename}"}`, md5, query),
		"Apollo": manifestOf(entry(md5, query)),
	} {
		t.Run(name, func(t *testing.T) {
			m := testkit.Value(httpapi.ReadManifest(writeManifest(t, manifest), httpapi.DefaultLimits))(t)
			s := serve(t, func(c *httpapi.Config) { c.Manifest, c.ManifestOnly = m, true })
			const variables, data = `{"id":"42"}`, `{"product":{"productId":"42"}}`
			sum := hashOf(query)
			for _, body := range []string{
				`{"id":"` + md5 + `","variables":` + variables + `}`,
				`{"documentId":"` + md5 + `","variables":` + variables + `}`,
				`{"documentId":"sha256:` + sum + `","variables":` + variables + `}`,
				`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + md5 + `"}},"variables":` + variables + `}`,
				`{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"` + sum + `"}},"variables":` + variables + `}`,
				fmt.Sprintf(`{"query":%q,"variables":%s}`, query, variables),
				fmt.Sprintf(`{"query":%q,"id":%q,"variables":%s}`, query, md5, variables),
			} {
				wantAnswer(t, s.body(t, body), data)
			}
			for _, parameter := range []string{"id=" + md5, "documentId=" + md5, "documentId=sha256:" + sum} {
				wantAnswer(t, s.Send(t, http.MethodGet, "/graphql?"+parameter+"&variables="+url.QueryEscape(variables), nil), data)
			}
			other := `{product(id:"42"){id}}`
			both := persisted{hash: hashOf(other), query: other}
			for range 2 { // nothing is registered either
				a := s.ask(t, http.MethodPost, both)
				wantRefusal(t, a, http.StatusOK, "FORBIDDEN", "")
				testkit.Check(t, a.Errors[0].Extensions["reason"] == "not_in_manifest", "%+v", a.Errors)
				wantRefusal(t, s.ask(t, http.MethodPost, persisted{hash: both.hash}), http.StatusOK, notFound, "")
			}
			wantRefusal(t, s.body(t, `{"id":"none"}`), http.StatusOK, notFound, "")
			wantRefusal(t, s.body(t, fmt.Sprintf(`{"query":%q,"id":%q}`, other, md5)), http.StatusBadRequest, "BAD_USER_INPUT", "id")
			wantRefusal(t, s.body(t, `{"id":"a","documentId":"b"}`), http.StatusBadRequest, "BAD_USER_INPUT", "documentId")
		})
	}
}
