package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	json2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"product-comments/internal/server/admission"
	"product-comments/store/errs"
)

// params are the parameters of a GraphQL request, with the id of a persisted document.
type params struct {
	graphql.RawParams
	id idParameter
}

// readParams reads the parameters of a GraphQL request as the GraphQL over HTTP specification
// defines them. The query may be missing, because an id or a hash can replace it. Errors are of
// type *admission.Rejection.
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
		return nil, admission.Malformed("", "the query string is malformed")
	}
	for _, name := range members {
		if len(values[name]) > 1 {
			return nil, admission.Malformed(name, "the query string has it %d times: send it once", len(values[name]))
		}
	}
	sent := rawParams{
		Query: values.Get("query"), OperationName: values.Get("operationName"), ID: values.Get(idMember),
		DocumentID: values.Get(documentIDMember),
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

// readBody accepts JSON only. Browsers send a preflight request (CORS) before a page of another
// site may send JSON, so no other site can make a visitor's browser send mutations.
func readBody(r *http.Request) (*params, error) {
	contentType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || contentType != "application/json" {
		return nil, admission.Refused(http.StatusUnsupportedMediaType, "content_type", "the content type must be application/json")
	}
	if charset := parameters["charset"]; charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil, admission.Refused(http.StatusUnsupportedMediaType, "charset", "the charset must be utf-8")
	}
	var sent rawParams
	if err := readJSON(admission.Of(r.Context()).Body, "", &sent); err != nil {
		return nil, err
	}
	return sent.params()
}

// rawParams are the parameters as the request has them.
type rawParams struct {
	Query         string `json:"query"`
	OperationName string `json:"operationName"`
	Variables     object `json:"variables"`
	Extensions    object `json:"extensions"`
	ID            string `json:"id"`
	DocumentID    string `json:"documentId"`
}

func (s rawParams) params() (*params, error) {
	p := &params{RawParams: graphql.RawParams{Query: s.Query, OperationName: s.OperationName, Variables: s.Variables,
		Extensions: s.Extensions}}
	if err := p.id.set(idMember, s.ID); err != nil {
		return nil, err
	}
	return p, p.id.set(documentIDMember, s.DocumentID)
}

// Limits of variables and extensions, which are checked while they are read. Each value is visited
// at least once for every place where the document uses it.
const (
	maxJSONValues  = 10_000 // in the variables or in the extensions
	maxJSONNesting = 12     // levels of objects and lists
	maxJSONList    = 1000   // values of one list
)

// members are the known parameters of a request. Others are ignored.
var members = []string{"query", "operationName", "variables", "extensions", idMember, documentIDMember}

// readJSON reads one JSON text of a request: the parameter with a name, or the whole body if the
// name is empty. Names must match exactly and be unique within an object. Parsers disagree about
// which duplicate counts, so a gateway could check one value and this server use another. Errors
// are of type *admission.Rejection, and repeat only names of members.
func readJSON(text []byte, name string, into any) error {
	err := json2.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	var (
		syntax   *jsontext.SyntacticError
		semantic *json2.SemanticError
		rejected *admission.Rejection
		at       jsontext.Pointer
	)
	if errors.As(err, &syntax) {
		at = syntax.JSONPointer
	} else if errors.As(err, &semantic) {
		at = semantic.JSONPointer
	}
	field, why := name, errs.JSON(name, err)
	if first := strings.Split(string(at)+"/", "/")[1]; name == "" && slices.Contains(members, first) {
		field = first
	}
	switch {
	case errors.As(err, &rejected):
		rejected.Why.Field = field
		return rejected
	case why.Reason == errs.BadCharacter:
		return admission.Malformed(inputField(why.Field), "%s", why.Message)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return admission.Malformed(field, "a JSON object has a member twice, at byte %d", syntax.ByteOffset)
	case syntax != nil && field != "":
		return admission.Malformed(field, "it is not JSON, at byte %d", syntax.ByteOffset)
	case syntax != nil:
		return admission.Malformed("", "the request body is not JSON, at byte %d", syntax.ByteOffset)
	case field != "":
		return admission.Malformed(field, "%s", why.Message)
	case semantic.JSONKind == '[':
		return admission.Refused(http.StatusBadRequest, "batch",
			"batches are not supported: send each operation in a separate request")
	default:
		return admission.Malformed("", "the request body is not a JSON object with a query")
	}
}

// inputField returns the name of a variable's member in errors, as package document does: the
// path within the input, without the variable's own name.
func inputField(member string) string {
	parts := strings.SplitN(member, ".", 3)
	if parts[0] != "variables" || len(parts) < 3 || parts[2] == "" || parts[2][0] >= '0' && parts[2][0] <= '9' {
		return member
	}
	return parts[2]
}

// object is any JSON object, nil for null. Numbers become json.Number, because a float64 would
// change large ones.
type object map[string]any

// UnmarshalJSONFrom implements json.UnmarshalerFrom. It stops at the first exceeded limit.
func (o *object) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	values, outside := 1, d.StackDepth()
	value := func(d *jsontext.Decoder, v *any) error {
		depth := d.StackDepth()
		if in, before := d.StackIndex(depth); in == '[' && before >= maxJSONList {
			return admission.Reject(http.StatusBadRequest, "", errs.Exceeds("list_length", maxJSONList+1, maxJSONList, "a list has at least %d values, the limit is %d"))
		}
		if values++; values > maxJSONValues {
			return admission.Reject(http.StatusBadRequest, "", errs.Exceeds("values", int64(values), maxJSONValues, "there are at least %d values, the limit is %d"))
		}
		switch d.PeekKind() {
		case '{', '[':
			if level := depth - outside + 1; level > maxJSONNesting {
				return admission.Reject(http.StatusBadRequest, "", errs.Exceeds("value_nesting", int64(level), maxJSONNesting, "objects and lists nest at least %d levels, the limit is %d"))
			}
		case '0':
			token, err := d.ReadToken()
			*v = json.Number(token.String())
			return err
		}
		return errors.ErrUnsupported // decode as usual
	}
	return json2.UnmarshalDecode(d, (*map[string]any)(o), json2.WithUnmarshalers(json2.UnmarshalFromFunc(value)))
}
