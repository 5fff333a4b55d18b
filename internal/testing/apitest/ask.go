package apitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"product-comments/internal/testing/testkit"
)

// Answer is a response; Data and Errors are empty if it is not JSON.
type Answer struct {
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
			Charge     float64
			// The client's limited budgets.
			Budget, ReadUnitBudget *struct{ Limit, Remaining, RestoreRate float64 }
		}
	}
	Status int         `json:"-"`
	Header http.Header `json:"-"`
}

// Post sends a GraphQL request with a token of the viewer.
func (s *Service) Post(t testing.TB, query string, variables map[string]any) Answer {
	t.Helper()
	body := testkit.Value(json.Marshal(map[string]any{"query": query, "variables": variables}))(t)
	headers := append([]string{"Content-Type", "application/json"}, Authorization(t, s.Viewer)...)
	return s.Send(t, http.MethodPost, "/graphql", body, headers...)
}

// Send sends any request. headers are alternating names and values.
func (s *Service) Send(t testing.TB, method, path string, body []byte, headers ...string) Answer {
	t.Helper()
	r := testkit.Value(http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body)))(t)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response := testkit.Value(s.Client().Do(r))(t)
	defer response.Body.Close()
	text := testkit.Value(io.ReadAll(response.Body))(t)
	a := Answer{Status: response.StatusCode, Header: response.Header}
	if strings.Contains(response.Header.Get("Content-Type"), "json") {
		err := json.Unmarshal(text, &a)
		testkit.Need(t, err == nil, "%v in %s", err, text)
	}
	return a
}

// Want fails the test unless the query is answered with exactly these data.
func (s *Service) Want(t testing.TB, query, data string) {
	t.Helper()
	a := s.Post(t, query, nil)
	testkit.Need(t, len(a.Errors) == 0, "%s\n%+v", query, a.Errors)
	var compact bytes.Buffer
	testkit.Must(t, json.Compact(&compact, []byte(data)))
	testkit.Equal(t, string(a.Data), compact.String(), "%s", query)
}

// WantError fails the test unless the query has one error, with this code and field.
func (s *Service) WantError(t testing.TB, query, code, field string) Answer {
	t.Helper()
	a := s.Post(t, query, nil)
	testkit.Need(t, len(a.Errors) == 1, "%s\ngot %s, %+v\nwant %s at %q", query, a.Data, a.Errors, code, field)
	got := a.Errors[0].Extensions
	gotField, _ := got["field"].(string)
	testkit.Check(t, got["code"] == code && gotField == field, "%s\ngot %+v\nwant %s at %q", query, a.Errors, code,
		field)
	return a
}

// At returns the value at a path of the data.
func (a Answer) At(t testing.TB, path ...any) any {
	t.Helper()
	var v any
	err := json.Unmarshal(a.Data, &v)
	testkit.Need(t, err == nil, "%v: %s, %+v", err, a.Data, a.Errors)
	for _, p := range path {
		testkit.Need(t, v != nil, "nothing at %v: %s, %+v", path, a.Data, a.Errors)
		switch p := p.(type) {
		case string:
			v = v.(map[string]any)[p]
		case int:
			v = v.([]any)[p]
		}
	}
	return v
}
