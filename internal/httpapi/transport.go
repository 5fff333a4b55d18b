package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/access"
	"product-comments/graph"
	"product-comments/graph/answer"
	"product-comments/graph/document"
	"product-comments/resolvers"
	"product-comments/store/table"
)

// transport serves GraphQL over HTTP (https://graphql.github.io/graphql-over-http/draft/) for GET
// and POST. It replaces gqlgen's transports. They answer invalid documents with 422 where the
// specification requires 200 or 400, and their errors about the request have no code.
type transport struct {
	*server
	rules     access.Rules
	persisted *persistedQueries
	documents *document.Reader
}

const (
	legacyJSON   = "application/json"
	responseJSON = "application/graphql-response+json"
)

var nullData = json.RawMessage("null")

// Supports implements graphql.Transport. It accepts every request, so that Do can answer an
// unsupported one with an explanation.
func (transport) Supports(*http.Request) bool { return true }

// Do implements graphql.Transport.
func (t transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	ctx, mediaType := r.Context(), accepted(r.Header["Accept"])
	params, err := readParams(r)
	var byID bool
	if err == nil {
		byID, err = t.persisted.resolve(params)
	}
	if err != nil {
		t.reject(w, r, err)
		return
	}
	op, refusals := t.operation(ctx, exec, params)
	if len(refusals) > 0 {
		a := accountOf(ctx)
		t.Gate.Cost.limiterFor(a).Charge(a.key, brokenCost)
		t.write(w, refusal(mediaType), mediaType, exec.DispatchError(graphql.WithOperationContext(ctx, op), refusals),
			nil)
		return
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		t.reject(w, r, refused(http.StatusMethodNotAllowed, "mutation_by_get", "GET is for queries only: send mutations with POST"))
		return
	}
	if !byID {
		t.persisted.register(params)
	}
	spent, err := t.admit(ctx, op)
	if err != nil {
		t.reject(w, r, err)
		return
	}
	defer spent.settle() // also if it does not run, or panics
	var memory reservations
	defer memory.release() // when the answer is sent
	share, weight := t.Gate.shareOf(spent.asker), min(graph.MeasuredOf(op).Weight, t.Limits.Answer)
	if err := memory.add(t.Gate.Memory.Enter(ctx, share, weight)); err != nil {
		t.reject(w, r, t.noMemory(err))
		return
	}
	limits := answer.Limits{Bytes: t.Limits.Answer, Steps: graph.MostSteps(t.Limits.Cost)}
	// A mutation is not stopped for lack of memory, because its changes stay.
	if op.Operation.Operation != ast.Mutation {
		limits.Keep = func() error {
			return memory.add(t.Gate.Memory.EnterLarge(ctx, share, answer.StepsKept*answer.StepBytes))
		}
	}
	running, meter := table.WithMeter(table.WithAllowance(ctx, float64(t.Limits.ReadUnits)))
	running, made := answer.WithMeter(running, limits)
	spent.meter(meter, made)
	told := &fieldErrors{}
	responses, running := exec.DispatchOperation(resolvers.WithLoaders(withErrors(running, told), t.Store, t.rules), op)
	response := responses(running)
	if response == nil { // the time limit ended before anything ran
		t.write(w, http.StatusOK, mediaType, exec.DispatchError(running, gqlerror.List{gqlerror.Wrap(ctx.Err())}), nil)
		return
	}
	if err := made.OutOfMemory(); err != nil {
		t.reject(w, r, t.noMemory(err))
		return
	}
	if err := made.Exceeded(); err != nil { // a partial answer is not sent
		response = exec.DispatchError(withErrors(running, nil), gqlerror.List{gqlerror.Wrap(err)})
		response.Data = nullData
	} else {
		response.Errors = append(response.Errors, told.leftOut()...)
	}
	cost := spent.settle()
	slotOf(ctx).Leave()
	memory.shrink(int64(len(response.Data)))
	defer t.chargeHeld(ctx, len(response.Data), time.Now())
	if byID && t.shared(r, response) {
		cost.Budget, cost.ReadUnitBudget = nil, nil // they belong to one client
		etag := entityTag(mediaType, response.Data)
		w.Header().Set("Cache-Control", t.public)
		w.Header().Set("Etag", etag)
		if notModified(r.Header["If-None-Match"], etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	t.write(w, http.StatusOK, mediaType, response, &cost)
}

// shared reports whether caches may share the answer to a query that was named by its hash: it has
// no errors, and the request had no credentials.
func (t transport) shared(r *http.Request, response *graphql.Response) bool {
	return t.public != "" && r.Method == http.MethodGet && anonymous(r) && len(response.Errors) == 0
}

// refusal returns the status of an answer to a GraphQL request that was not executed.
func refusal(mediaType string) int {
	if mediaType == responseJSON {
		return http.StatusBadRequest
	}
	return http.StatusOK // legacy clients expect 200 for every GraphQL answer
}

// accepted returns the media type of the response that the client prefers. It returns
// application/json without a preference, or if the client accepts no media type of GraphQL.
func accepted(accept []string) string {
	if len(accept) == 0 || len(accept) == 1 && (accept[0] == "*/*" || accept[0] == legacyJSON) { // the common case
		return legacyJSON
	}
	best, most := legacyJSON, 0.0
	for mediaType, weight := range weights(accept) {
		switch mediaType {
		case "*/*", "application/*":
			mediaType = legacyJSON
		case legacyJSON, responseJSON:
		default:
			continue
		}
		if weight > most {
			best, most = mediaType, weight
		}
	}
	return best
}

// write sends a response. Its data are JSON already and are not copied. If nothing was executed
// there are no data, and cost is nil. The cost is the only extension, because no handler extension
// that is used here adds one.
func (s *server) write(
	w http.ResponseWriter, status int, mediaType string, response *graphql.Response, cost *operationCost,
) {
	s.countReasons(response.Errors)
	var parts [][]byte // the data may be megabytes
	length := 0
	add := func(text []byte) { parts, length = append(parts, text), length+len(text) }
	member := func(name string, value any) {
		text, ok := value.(json.RawMessage)
		if !ok {
			text, _ = json.Marshal(value) // cannot fail for strings, numbers and lists
		}
		before := ","
		if parts == nil {
			before = "{"
		}
		add([]byte(before + name + ":"))
		add(text)
	}
	if len(response.Errors) > 0 {
		member(`"errors"`, response.Errors)
	}
	if response.Data != nil {
		member(`"data"`, response.Data)
	}
	if cost != nil {
		member(`"extensions"`, map[string]any{"cost": cost})
	}
	add([]byte("}"))
	w.Header().Set("Content-Type", mediaType+"; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(status)
	for _, part := range parts {
		_, _ = w.Write(part) // an error means that the client is gone
	}
}
