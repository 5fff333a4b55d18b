package httpapi

import (
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
	p := &params{}
	for _, name := range []string{"query", "operationName", "variables", "extensions", idMember, documentIDMember} {
		if len(values[name]) > 1 {
			return nil, malformed(name, "it stands %d times in the query string", len(values[name]))
		}
	}
	p.Query, p.OperationName = values.Get("query"), values.Get("operationName")
	for _, name := range []string{idMember, documentIDMember} {
		if err := p.id.set(name, values.Get(name)); err != nil {
			return nil, err
		}
	}
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
	j := newJSON([]byte(text))
	j.all = name
	if object, err = j.object(name); err != nil {
		return nil, err
	}
	return object, j.end()
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
	return bodyParams(body)
}

// bodyParams reads a body's members by their exact names. Others are ignored.
func bodyParams(body []byte) (*params, error) {
	j := newJSON(body)
	if err := j.begin(); err != nil {
		return nil, err
	}
	p := &params{}
	for {
		name, more, err := j.member()
		if err != nil {
			return nil, err
		}
		if !more {
			return p, j.end()
		}
		switch name {
		case "query":
			p.Query, err = j.text(name)
		case "operationName":
			p.OperationName, err = j.text(name)
		case "variables":
			p.Variables, err = j.object(name)
		case "extensions":
			p.Extensions, err = j.object(name)
		case idMember, documentIDMember:
			var id string
			if id, err = j.text(name); err == nil {
				err = p.id.set(name, id)
			}
		default:
			err = j.skip()
		}
		if err != nil {
			return nil, err
		}
	}
}
