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

// badRequest says why a request cannot be executed.
type badRequest struct {
	status  int    // 0 if the request is well formed in HTTP's terms, see refusal
	code    string // "" is BAD_USER_INPUT
	field   string // the parameter at fault; "" if no single one is
	message string
}

func (e *badRequest) Error() string { return e.message }

// refused is an error about the request as a whole.
func refused(status int, format string, args ...any) error {
	return &badRequest{status: status, message: fmt.Sprintf(format, args...)}
}

// malformed is an error about a parameter, or about the whole text if field is "".
func malformed(field, format string, args ...any) error {
	return &badRequest{status: http.StatusBadRequest, field: field, message: fmt.Sprintf(format, args...)}
}

// readParams reads the parameters of a GraphQL request as the GraphQL over HTTP
// specification defines them. The query may be missing, since a hash can stand for
// it. Errors are of type *badRequest.
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

// readBody accepts JSON only. A browser asks a site first (CORS) before it sends
// JSON there from a page of another site, so no other site can make a visitor's
// browser send mutations.
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
	return &graphql.RawParams{
		Query: p.Query, OperationName: p.OperationName, Variables: p.Variables, Extensions: p.Extensions,
	}, nil
}

// decodeJSON reads one JSON value and fails if anything follows. Numbers become
// json.Number: a float64 would change large ones.
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
