package httpapi

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/99designs/gqlgen/graphql"
)

// params are the parameters of a GraphQL request, and the id by which it may name
// its document.
type params struct {
	graphql.RawParams
	id idParameter
}

// readParams reads the parameters of a GraphQL request as the GraphQL over HTTP
// specification defines them. The query may be missing, since an id or a hash can
// stand for it. Errors are of type *rejection.
func readParams(r *http.Request) (*params, error) {
	start := graphql.Now()
	read := readBody
	if r.Method == http.MethodGet {
		read = readQueryString
	}
	p, err := read(r)
	if err != nil {
		return nil, err
	}
	p.Headers = r.Header
	p.ReadTime = graphql.TraceTiming{Start: start, End: graphql.Now()}
	return p, nil
}

func readQueryString(r *http.Request) (*params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, malformed("", "the query string is malformed")
	}
	for _, name := range members {
		if len(values[name]) > 1 {
			return nil, malformed(name, "it stands %d times in the query string", len(values[name]))
		}
	}
	sent := sent{
		Query: values.Get("query"), OperationName: values.Get("operationName"), ID: values.Get(idMember), DocumentID: values.Get(documentIDMember),
	}
	object := func(name string, into *object) error {
		if text := values.Get(name); text != "" {
			return readJSON([]byte(text), name, into)
		}
		return nil
	}
	if err := cmp.Or(object("variables", &sent.Variables), object("extensions", &sent.Extensions)); err != nil {
		return nil, err
	}
	return sent.params()
}

// readBody accepts JSON only. A browser asks a site first (CORS) before it sends
// JSON there from a page of another site, so no other site can make a visitor's
// browser send mutations.
func readBody(r *http.Request) (*params, error) {
	contentType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return nil, refused(http.StatusUnsupportedMediaType, "content_type", "the content type must be application/json")
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, refused(http.StatusUnsupportedMediaType, "charset", "the charset must be utf-8")
	}
	body, err := io.ReadAll(r.Body)
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		value := max(r.ContentLength, tooLarge.Limit+1)
		return nil, exceeds(http.StatusRequestEntityTooLarge, "", "body", int(value), int(tooLarge.Limit), "the request's body has at least %d bytes, the limit is %d")
	}
	if err != nil {
		return nil, malformed("", "the request body could not be read")
	}
	var sent sent
	if err := readJSON(body, "", &sent); err != nil {
		return nil, err
	}
	return sent.params()
}

// sent is what a request has for its parameters.
type sent struct {
	Query         string `json:"query"`
	OperationName string `json:"operationName"`
	Variables     object `json:"variables"`
	Extensions    object `json:"extensions"`
	ID            string `json:"id"`
	DocumentID    string `json:"documentId"`
}

func (s sent) params() (*params, error) {
	p := &params{RawParams: graphql.RawParams{Query: s.Query, OperationName: s.OperationName, Variables: s.Variables, Extensions: s.Extensions}}
	if err := p.id.set(idMember, s.ID); err != nil {
		return nil, err
	}
	return p, p.id.set(documentIDMember, s.DocumentID)
}
