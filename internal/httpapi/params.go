package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/99designs/gqlgen/graphql"
)

// badRequest is a request that nothing can be executed for.
type badRequest struct {
	status  int    // 0 if it is a GraphQL request all the same: see refusal
	code    string // "" is BAD_USER_INPUT
	field   string // the parameter at fault, if one is
	message string
}

func (e *badRequest) Error() string { return e.message }

func refused(status int, format string, args ...any) error {
	return &badRequest{status: status, message: fmt.Sprintf(format, args...)}
}

func malformed(field, format string, args ...any) error {
	return &badRequest{status: http.StatusBadRequest, field: field, message: fmt.Sprintf(format, args...)}
}

// readParams reads the parameters of a GraphQL request as the GraphQL over
// HTTP specification defines them; the query may be missing. Its errors are of
// type *badRequest.
func readParams(r *http.Request) (*graphql.RawParams, error) {
	start := graphql.Now()
	p, err := func() (*graphql.RawParams, error) {
		if r.Method == http.MethodGet {
			return readQueryString(r.URL.RawQuery)
		}
		return readBody(r)
	}()
	if err != nil {
		return nil, err
	}
	p.Headers = r.Header
	p.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return p, nil
}

func readQueryString(raw string) (*graphql.RawParams, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, malformed("", "the query string is malformed")
	}
	p := &graphql.RawParams{Query: values.Get("query"), OperationName: values.Get("operationName")}
	if p.Variables, err = objectParameter(values, "variables"); err != nil {
		return nil, err
	}
	p.Extensions, err = objectParameter(values, "extensions")
	return p, err
}

func objectParameter(values url.Values, name string) (object map[string]any, err error) {
	text := values.Get(name)
	if text == "" {
		return nil, nil
	}
	if err := decodeJSON(strings.NewReader(text), &object); err != nil {
		return nil, malformed(name, "%s is not a JSON object", name)
	}
	return object, nil
}

// readBody takes JSON only: browsers send no JSON to other sites without
// asking first, which keeps them from mutating on a visitor's behalf.
func readBody(r *http.Request) (*graphql.RawParams, error) {
	contentType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return nil, refused(http.StatusUnsupportedMediaType, "the content type must be application/json")
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, refused(http.StatusUnsupportedMediaType, "the charset must be utf-8")
	}
	body, err := io.ReadAll(r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return nil, refused(http.StatusRequestEntityTooLarge, "the request has more than %d bytes", tooLarge.Limit)
	}
	if err != nil {
		return nil, malformed("", "the request body could not be read")
	}
	var p struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
		Extensions    map[string]any `json:"extensions"`
	}
	err = decodeJSON(bytes.NewReader(body), &p)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return nil, malformed(wrong.Field, "%s must not be a JSON %s", wrong.Field, wrong.Value)
	}
	if err != nil {
		return nil, malformed("", "the request body is not a JSON object with a query")
	}
	return &graphql.RawParams{Query: p.Query, OperationName: p.OperationName, Variables: p.Variables, Extensions: p.Extensions}, nil
}

// decodeJSON reads one value, and nothing after it. Numbers stay as they are
// written: a float64 would change large ones.
func decodeJSON(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is something after the JSON value")
	}
	return nil
}
