package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/internal/httpapi"
	"product-comments/store"
	"product-comments/store/cursor"
	"product-comments/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// service is the whole service on a new table.
type service struct {
	*httptest.Server
	store *store.Store
	api   *countingAPI
	log   *bytes.Buffer
}

// countingAPI counts batches, which loaders are there to save.
type countingAPI struct {
	store.API

	mu      sync.Mutex
	batches []int // keys of each BatchGetItem
}

func (c *countingAPI) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, keys := range in.RequestItems {
		c.batches = append(c.batches, len(keys.Keys))
	}
	return c.API.BatchGetItem(ctx, in, o...)
}

func serve(t testing.TB, change ...func(*httpapi.Config)) *service {
	t.Helper()
	s := &service{api: &countingAPI{API: storetest.Client(t)}, log: &bytes.Buffer{}}
	s.store = store.New(s.api, storetest.TableName(t), store.Options{})
	if err := s.store.EnsureTable(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	codec, err := cursor.New(make([]byte, cursor.MinSecret))
	if err != nil {
		t.Fatal(err)
	}
	c := httpapi.Config{Store: s.store, Cursors: codec, Log: slog.New(httpapi.LogHandler(slog.NewJSONHandler(s.log, nil))), Limits: httpapi.DefaultLimits}
	for _, f := range change {
		f(&c)
	}
	s.Server = httptest.NewServer(httpapi.New(c))
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			t.Logf("log: %s", s.log)
		}
	})
	return s
}

func (s *service) fill(t testing.TB, comments ...store.Comment) {
	t.Helper()
	if _, err := s.store.Import(t.Context(), comments); err != nil {
		t.Fatal(err)
	}
}

// comments makes n comments of product 42, a minute apart, c000 being the
// oldest, rated 1 2 3 4 5 1 2 …
func comments(n int) []store.Comment {
	list := make([]store.Comment, n)
	for i := range list {
		list[i] = store.Comment{
			ID: fmt.Sprintf("c%03d", i), ProductID: "42", Rating: 1 + i%5, Language: "en", Text: fmt.Sprintf("text %d", i),
			CreatedAt: time.Date(2026, 1, 1, 0, i, 0, 0, time.UTC),
		}
	}
	return list
}

type answer struct {
	Data   json.RawMessage
	Errors []struct {
		Message    string
		Path       []any
		Extensions map[string]any
	}
	Extensions struct {
		Cost *struct {
			Complexity int
			ReadUnits  float64
			RoundTrips int
		}
	}
	status int
	header http.Header
}

func (s *service) post(t testing.TB, query string, variables map[string]any) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	return s.send(t, http.MethodPost, "/graphql", body, "Content-Type", "application/json")
}

func (s *service) send(t testing.TB, method, path string, body []byte, headers ...string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header}
	if strings.Contains(response.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(text, &a); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	return a
}

// want fails unless the query is answered with exactly these data.
func (s *service) want(t testing.TB, query, data string) {
	t.Helper()
	a := s.post(t, query, nil)
	if len(a.Errors) > 0 {
		t.Fatalf("%s\n%+v", query, a.Errors)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(data)); err != nil {
		t.Fatal(err)
	}
	if string(a.Data) != compact.String() {
		t.Errorf("%s\ngot  %s\nwant %s", query, a.Data, compact.String())
	}
}

// wantError fails unless the query has one error of this code and field.
func (s *service) wantError(t testing.TB, query, code, field string) answer {
	t.Helper()
	a := s.post(t, query, nil)
	if len(a.Errors) != 1 {
		t.Fatalf("%s\ngot %s, %+v\nwant %s at %q", query, a.Data, a.Errors, code, field)
	}
	got := a.Errors[0].Extensions
	if gotField, _ := got["field"].(string); got["code"] != code || gotField != field {
		t.Errorf("%s\ngot %+v\nwant %s at %q", query, a.Errors, code, field)
	}
	return a
}

// at returns the value at a path of the data.
func (a answer) at(t testing.TB, path ...any) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(a.Data, &v); err != nil {
		t.Fatalf("%v: %s, %+v", err, a.Data, a.Errors)
	}
	for _, p := range path {
		if v == nil {
			t.Fatalf("nothing at %v: %s, %+v", path, a.Data, a.Errors)
		}
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}
