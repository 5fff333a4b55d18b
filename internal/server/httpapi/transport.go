package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/access"
	"product-comments/graph/answer"
	"product-comments/graph/document"
	"product-comments/graph/fastpath"
	"product-comments/internal/server/admission"
	"product-comments/resolvers"
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

var nullData = json.RawMessage("null")

// Supports implements graphql.Transport. It accepts every request, so that Do can answer an
// unsupported one with an explanation.
func (transport) Supports(*http.Request) bool { return true }

// Do implements graphql.Transport.
func (t transport) Do(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) {
	if err := t.serve(w, r, exec); err != nil {
		t.reject(w, r, err)
	}
}

// serve answers a request that is executed; the error is a *admission.Rejection.
func (t transport) serve(w http.ResponseWriter, r *http.Request, exec graphql.GraphExecutor) error {
	ctx, mediaType := r.Context(), accepted(r.Header["Accept"])
	params, err := readParams(r)
	if err != nil {
		return err
	}
	byID, err := t.persisted.resolve(params)
	if err != nil {
		return err
	}
	found, refusals := t.documents.Operation(ctx, params.Query, params.OperationName, params.Variables)
	op := t.operation(ctx, params, found)
	if len(refusals) > 0 {
		t.admission.Charge(ctx, admission.BrokenCost)
		t.write(w, refusal(mediaType), mediaType, exec.DispatchError(graphql.WithOperationContext(ctx, op), refusals), nil)
		return nil
	}
	if r.Method == http.MethodGet && op.Operation.Operation != ast.Query {
		w.Header().Set("Allow", http.MethodPost)
		return admission.Refused(http.StatusMethodNotAllowed, "mutation_by_get", "GET is for queries only: send mutations with POST")
	}
	if !byID {
		t.persisted.register(params)
	}
	run, err := t.admission.Operation(ctx, found)
	if err != nil {
		return err
	}
	defer run.End()
	told := &fieldErrors{}
	responses, running := exec.DispatchOperation(resolvers.WithLoaders(withErrors(run.In(ctx), told), t.Store, t.rules), op)
	response := responses(running)
	if response == nil { // the time limit ended before anything ran
		t.write(w, http.StatusOK, mediaType, exec.DispatchError(running, gqlerror.List{gqlerror.Wrap(ctx.Err())}), nil)
		return nil
	}
	missing, exceeded := run.Stopped()
	switch {
	case missing != nil:
		return missing
	case exceeded != nil: // a partial answer is not sent
		response = exec.DispatchError(withErrors(running, nil), gqlerror.List{gqlerror.Wrap(exceeded)})
		response.Data = nullData
	default:
		response.Errors = append(response.Errors, told.leftOut()...)
	}
	cost := run.Answered(len(response.Data))
	if !byID || !t.shared(r, response) {
		t.write(w, http.StatusOK, mediaType, response, &cost)
		return nil
	}
	cost.Budget, cost.ReadUnitBudget = nil, nil // they belong to one client
	w.Header().Set("Cache-Control", t.public)
	w.Header().Set("Etag", entityTag(mediaType, response.Data))
	r.Header.Del("Range") // the whole answer, or 304 if the client has it
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(bytes.Join(t.encode(w, mediaType, response, &cost), nil)))
	return nil
}

// shared reports whether caches may share the answer to a query that was named by its hash: it has
// no errors, and the request had no credentials.
func (t transport) shared(r *http.Request, response *graphql.Response) bool {
	return t.public != "" && r.Method == http.MethodGet && anonymous(r) && len(response.Errors) == 0
}

// operation returns gqlgen's context of an operation. It replaces CreateOperationContext, which would
// validate the document without these limits, and coerce the variables again.
func (t transport) operation(ctx context.Context, params *params, op document.Operation) *graphql.OperationContext {
	return &graphql.OperationContext{
		RawQuery: params.Query, OperationName: params.OperationName, Headers: params.Headers, Extensions: params.Extensions,
		Doc: op.Document, Operation: op.Definition, Variables: op.Variables, DisableIntrospection: t.NoIntrospection,
		RecoverFunc:            resolvers.Recover(t.Log),
		RootResolverMiddleware: func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler { return next(ctx) },
		ResolverMiddleware:     resolvers.Around(op.Wrong, interceptField),
		Stats:                  graphql.Stats{OperationStart: graphql.GetStartTime(ctx)},
	}
}

func interceptField(ctx context.Context, next graphql.Resolver) (any, error) {
	return answer.InterceptField(ctx, func(ctx context.Context) (any, error) { return fastpath.InterceptField(ctx, next) })
}
