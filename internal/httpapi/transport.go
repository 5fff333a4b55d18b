package httpapi

import (
	"bytes"
	"cmp"
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

	"product-comments/graph"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/errs"
)

// transport serves GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/)
// for GET and POST. gqlgen's own transports answer invalid documents with 422
// where the specification wants 200 or 400, and give errors in the request
// itself no code.
type transport struct {
	store     *store.Store
	persisted *persistedQueries
	public    string // Cache-Control of answers that caches may share; "" for none
}

const (
	legacyJSON   = "application/json"
	responseJSON = "application/graphql-response+json"
)

// Supports is part of graphql.Transport; what is not supported is answered
// with an error that says what is.
func (transport) Supports(*http.Request) bool { return true }

// Do is part of graphql.Transport.
func (t transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx, mediaType := r.Context(), accepted(r.Header["Accept"])
	params, err := readParams(r)
	var byHash bool
	if err == nil {
		byHash, err = t.persisted.resolve(params)
	}
	if err != nil {
		refuse(w, mediaType, err)
		return
	}
	op, refusals := exec.CreateOperationContext(ctx, params)
	if len(refusals) > 0 {
		write(w, refusal(mediaType), mediaType, exec.DispatchError(graphql.WithOperationContext(ctx, op), refusals), nil)
		return
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		write(w, http.StatusMethodNotAllowed, mediaType, &graphql.Response{Errors: gqlerror.List{{
			Message: "GET answers queries only, send a mutation with POST", Extensions: map[string]any{"code": string(errs.BadUserInput)},
		}}}, nil)
		return
	}
	if !byHash {
		t.persisted.register(params)
	}
	ctx, meter := store.WithMeter(ctx)
	responses, ctx := exec.DispatchOperation(resolvers.WithLoaders(ctx, t.store), op)
	response := responses(ctx)
	if response == nil { // the time was over before anything ran
		write(w, http.StatusOK, mediaType, exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(ctx.Err())}), nil)
		return
	}
	cost := operationCost{complexity: graph.CostOf(op)}
	cost.readUnits, cost.roundTrips = meter.Read()
	if byHash && t.shared(r, response) {
		etag := entityTag(mediaType, response.Data)
		w.Header().Set("Cache-Control", t.public)
		w.Header().Set("Etag", etag)
		if notModified(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	write(w, http.StatusOK, mediaType, response, &cost)
}

// shared tells whether caches may share the answer to a query that was named by
// its hash: it is complete, and nobody in particular asked for it.
func (t transport) shared(r *http.Request, response *graphql.Response) bool {
	return t.public != "" && r.Method == http.MethodGet && anonymous(r) && len(response.Errors) == 0
}

// refusal is the status of an answer to a GraphQL request of which nothing was
// executed.
func refusal(mediaType string) int {
	if mediaType == responseJSON {
		return http.StatusBadRequest
	}
	return http.StatusOK // what legacy clients expect of any answer that is GraphQL
}

// refuse answers a request that nothing can be executed for.
func refuse(w http.ResponseWriter, mediaType string, err error) {
	var bad *badRequest
	if !errors.As(err, &bad) {
		bad = &badRequest{status: http.StatusInternalServerError, message: "the request could not be read"}
	}
	e := &gqlerror.Error{Message: bad.message, Extensions: map[string]any{"code": cmp.Or(bad.code, string(errs.BadUserInput))}}
	if bad.field != "" {
		e.Extensions["field"] = bad.field
	}
	write(w, cmp.Or(bad.status, refusal(mediaType)), mediaType, &graphql.Response{Errors: gqlerror.List{e}}, nil)
}

// accepted chooses the media type of the response: what the client prefers,
// application/json if it does not care or wants something else altogether.
func accepted(accept []string) string {
	if len(accept) == 0 || (len(accept) == 1 && (accept[0] == "*/*" || accept[0] == legacyJSON)) {
		return legacyJSON
	}
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
// they are left out where nothing was executed, and so is the cost. It is the
// only extension: what gqlgen runs here adds none.
func write(w http.ResponseWriter, status int, mediaType string, response *graphql.Response, cost *operationCost) {
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
	if cost != nil {
		b.WriteString(`,"extensions":{"cost":`)
		b.Write(cost.append(b.AvailableBuffer()))
		b.WriteByte('}')
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
