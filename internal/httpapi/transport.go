package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/store/errs"
)

// transport serves GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/)
// for GET and POST. gqlgen's own transports answer invalid documents with 422
// where the specification wants 200 or 400, and give errors in the request
// itself no code.
type transport struct{}

const (
	legacyJSON   = "application/json"
	responseJSON = "application/graphql-response+json"
)

// Supports is part of graphql.Transport; what is not supported is answered
// with an error that says what is.
func (transport) Supports(*http.Request) bool { return true }

// Do is part of graphql.Transport.
func (transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx, mediaType := r.Context(), accepted(r.Header.Values("Accept"))
	w.Header().Add("Vary", "Accept")
	params, err := readParams(r)
	if err != nil {
		var bad *badRequest
		if !errors.As(err, &bad) {
			bad = &badRequest{status: http.StatusInternalServerError, message: "the request could not be read"}
		}
		e := &gqlerror.Error{Message: bad.message, Extensions: map[string]any{"code": string(errs.BadUserInput)}}
		if bad.field != "" {
			e.Extensions["field"] = bad.field
		}
		write(w, bad.status, mediaType, &graphql.Response{Errors: gqlerror.List{e}})
		return
	}
	op, refusals := exec.CreateOperationContext(ctx, params)
	if len(refusals) > 0 {
		status := http.StatusOK // what legacy clients expect of any answer that is GraphQL
		if mediaType == responseJSON {
			status = http.StatusBadRequest
		}
		write(w, status, mediaType, exec.DispatchError(graphql.WithOperationContext(ctx, op), refusals))
		return
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		write(w, http.StatusMethodNotAllowed, mediaType, &graphql.Response{Errors: gqlerror.List{{
			Message: "GET answers queries only, send a mutation with POST", Extensions: map[string]any{"code": string(errs.BadUserInput)},
		}}})
		return
	}
	responses, ctx := exec.DispatchOperation(ctx, op)
	write(w, http.StatusOK, mediaType, responses(ctx))
}

// accepted chooses the media type of the response: what the client prefers,
// application/json if it does not care or wants something else altogether.
func accepted(accept []string) string {
	best, weight := legacyJSON, 0.0
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaType, parameters, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		q := 1.0
		if s, ok := parameters["q"]; ok {
			if q, err = strconv.ParseFloat(s, 64); err != nil {
				continue
			}
		}
		switch mediaType {
		case "*/*", "application/*":
			mediaType = legacyJSON
		case legacyJSON, responseJSON:
		default:
			continue
		}
		if q > weight {
			best, weight = mediaType, q
		}
	}
	return best
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// largestPooled keeps one huge answer from staying in memory for good.
const largestPooled = 1 << 20

// write spells a response. Its data are JSON already and are not parsed again;
// they are left out where nothing was executed.
func write(w http.ResponseWriter, status int, mediaType string, response *graphql.Response) {
	b := buffers.Get().(*bytes.Buffer)
	b.Reset()
	b.WriteByte('{')
	if len(response.Errors) > 0 {
		b.WriteString(`"errors":`)
		writeJSON(b, response.Errors)
		if response.Data != nil {
			b.WriteByte(',')
		}
	}
	if response.Data != nil {
		b.WriteString(`"data":`)
		b.Write(response.Data)
	}
	if len(response.Extensions) > 0 {
		b.WriteString(`,"extensions":`)
		writeJSON(b, response.Extensions)
	}
	b.WriteByte('}')
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the client may be gone, nobody else cares
	if b.Cap() <= largestPooled {
		buffers.Put(b)
	}
}

func writeJSON(b *bytes.Buffer, v any) {
	text, err := json.Marshal(v)
	if err != nil { // the values are strings, numbers and lists of ours
		text = []byte("null")
	}
	b.Write(text)
}
