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

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/graph/document"
	"product-comments/resolvers"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/table"
)

// transport serves GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/)
// for GET and POST. It replaces gqlgen's own transports, which answer invalid
// documents with 422 where the specification wants 200 or 400, and give errors
// about the request itself no code.
type transport struct {
	store     *store.Store
	rules     access.Rules
	persisted *persistedQueries
	documents *document.Reader
	limits    Limits
	public    string // Cache-Control of answers that caches may share; "" for none
	door      *doorkeeper
}

const (
	legacyJSON   = "application/json"
	responseJSON = "application/graphql-response+json"
)

var nullData = json.RawMessage("null")

// Supports is part of graphql.Transport. It takes every request, so that Do can
// answer an unsupported one with an error that says what is supported.
func (transport) Supports(*http.Request) bool { return true }

// Do is part of graphql.Transport.
func (t transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx, mediaType := r.Context(), accepted(r.Header["Accept"])
	params, err := readParams(r)
	var byID bool
	if err == nil {
		byID, err = t.persisted.resolve(params)
	}
	if err != nil {
		refuse(w, mediaType, err, t.door.tell)
		return
	}
	doc, refusals := t.documents.Read(ctx, params.Query)
	if len(refusals) > 0 {
		t.door.broken(ctx)
		write(w, refusal(mediaType), mediaType, exec.DispatchError(withoutOperation(ctx), refusals), nil, t.door.tell)
		return
	}
	op, refusals := t.operation(ctx, exec, params, doc)
	if len(refusals) > 0 {
		t.door.broken(ctx)
		write(w, refusal(mediaType), mediaType, exec.DispatchError(graphql.WithOperationContext(ctx, op), refusals), nil, t.door.tell)
		return
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		write(w, http.StatusMethodNotAllowed, mediaType, &graphql.Response{Errors: gqlerror.List{{
			Message:    "GET answers queries only, send a mutation with POST",
			Extensions: errs.Refuse(errs.BadUserInput, "mutation_by_get", "").Extensions(),
		}}}, nil, t.door.tell)
		return
	}
	if !byID {
		t.persisted.register(params)
	}
	spent, why := t.door.admit(ctx, op)
	if why != nil {
		t.door.refuse(w, r, why)
		return
	}
	defer spent.settle() // also if it does not run, or panics
	forget, err := t.door.Memory.Enter(ctx, min(graph.WeightOf(op), t.limits.Answer))
	if err != nil {
		t.door.refuse(w, r, busy(err, reasonMemory, noMemory))
		return
	}
	defer forget() // when the answer is sent
	ctx, meter := table.WithMeter(table.WithAllowance(ctx, float64(t.limits.ReadUnits)))
	limits, forgetMore := t.door.answers(ctx, t.limits, op.Operation.Operation)
	defer forgetMore()
	ctx, made := answer.WithMeter(ctx, limits)
	spent.runs(meter, made)
	told := &fieldErrors{}
	ctx = withErrors(ctx, told)
	responses, ctx := exec.DispatchOperation(resolvers.WithLoaders(ctx, t.store, t.rules), op)
	response := responses(ctx)
	if response == nil { // the request's time was over before anything ran
		write(w, http.StatusOK, mediaType, exec.DispatchError(ctx, gqlerror.List{gqlerror.Wrap(ctx.Err())}), nil, t.door.tell)
		return
	}
	if err := made.NoRoom(); err != nil {
		t.door.refuse(w, r, busy(err, reasonMemory, noMemory))
		return
	}
	if err := made.Exceeded(); err != nil { // what was made until then is not an answer
		response = exec.DispatchError(withErrors(ctx, nil), gqlerror.List{gqlerror.Wrap(err)})
		response.Data = nullData
	} else {
		response.Errors = append(response.Errors, told.leftOut()...)
	}
	cost := spent.settle()
	leaveSlot(ctx)
	if byID && t.shared(r, response) {
		cost.left = budgets{} // they are one client's
		etag := entityTag(mediaType, response.Data)
		w.Header().Set("Cache-Control", t.public)
		w.Header().Set("Etag", etag)
		if notModified(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	write(w, http.StatusOK, mediaType, response, &cost, t.door.tell)
}

// shared reports whether caches may share the answer to a query that was named by
// its hash: it has no errors, and the request had no credentials.
func (t transport) shared(r *http.Request, response *graphql.Response) bool {
	return t.public != "" && r.Method == http.MethodGet && anonymous(r) && len(response.Errors) == 0
}

// refusal is the status of an answer to a GraphQL request that was not executed.
func refusal(mediaType string) int {
	if mediaType == responseJSON {
		return http.StatusBadRequest
	}
	return http.StatusOK // which legacy clients expect of every GraphQL answer
}

// refuse answers a request that cannot be executed. err is a *badRequest.
func refuse(w http.ResponseWriter, mediaType string, err error, tell func(reason string)) {
	var bad *badRequest
	if !errors.As(err, &bad) {
		bad = &badRequest{http.StatusInternalServerError, errs.Errorf(errs.Internal, "the request could not be read")}
	}
	e := &gqlerror.Error{Message: bad.why.Sentence(), Extensions: bad.why.Extensions()}
	write(w, cmp.Or(bad.status, refusal(mediaType)), mediaType, &graphql.Response{Errors: gqlerror.List{e}}, nil, tell)
}

// accepted chooses the media type of the response: the one that the client prefers,
// or application/json if it accepts neither or has no preference.
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

// largestPooled is the most bytes of a buffer that is used again. Without it one
// huge answer would stay in memory for good.
const largestPooled = 1 << 20

// write sends a response. Its data are JSON already and are copied as they are. If
// nothing was executed there are no data, and cost is nil. The cost is the only
// extension, because no handler extension that is used here adds one. tell is told
// the reason of each refusal among the errors; nil is nobody.
func write(
	w http.ResponseWriter, status int, mediaType string, response *graphql.Response, cost *operationCost, tell func(reason string),
) {
	tellReasons(response.Errors, tell)
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
	_, _ = w.Write(b.Bytes()) // an error means that the client is gone
	if b.Cap() <= largestPooled {
		buffers.Put(b)
	}
}

func writeJSON(b *bytes.Buffer, v any) {
	text, err := json.Marshal(v)
	if err != nil { // it cannot fail: the values are strings, numbers and lists
		text = []byte("null")
	}
	b.Write(text)
}
