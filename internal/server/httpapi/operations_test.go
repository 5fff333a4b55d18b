package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/server/admission"
	"product-comments/internal/server/httpapi"
	"product-comments/internal/server/telemetry"
	"product-comments/internal/testing/testkit"
	"product-comments/store"
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
			m := testkit.Value(httpapi.ReadManifest(writeManifest(t, manifest), admission.DefaultLimits))(t)
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

// The end of a process is no fault: balancers that ask while it drains leave no error in
// the log.
func TestDrainingIsNoError(t *testing.T) {
	var log bytes.Buffer
	health := httpapi.NewHealth(httpapi.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), Telemetry: telemetry.New(telemetry.Options{})})
	health.Drain()
	for _, h := range []http.Handler{health.Public(), health.Operators()} {
		for _, path := range []string{"/readyz", "/readyz?verbose"} {
			w := httptest.NewRecorder()
			if h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil)); w.Code != http.StatusServiceUnavailable {
				t.Errorf("%s: %d", path, w.Code)
			}
		}
	}
	text := log.String()
	testkit.Check(t, !strings.Contains(text, "ERROR") && !strings.Contains(text, "WARN"), "%v", text)
}

// gone is a table that refuses every read as throttled.
type gone struct{ store.API }

var errGone = errors.Join(&types.ProvisionedThroughputExceededException{})

func (gone) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, errGone
}

func (gone) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return nil, errGone
}

// untilLeft holds a query until its caller has given up.
func untilLeft(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// panicking ends a query with a fault.
func panicking(context.Context) error { panic("secret cause") }

// waiting is a table whose queries wait, and what lets them go.
func waiting() (table *empty, letGo func()) {
	hold := make(chan struct{})
	return &empty{hold: func(ctx context.Context) error {
		select {
		case <-hold:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}, func() { close(hold) }
}
