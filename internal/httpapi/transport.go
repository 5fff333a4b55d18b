package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/access"
	"product-comments/graph/document"
	"product-comments/graph/variables"
	"product-comments/internal/admission"
	"product-comments/resolvers"
	"product-comments/store/errs"
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
	op, refusals := t.operation(ctx, exec, params)
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
	run, err := t.admission.Operation(ctx, op)
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

type documentKey struct{}

// readDocuments is the cache that gqlgen asks before it parses and validates a document itself,
// which would bypass the limits of graph/document. It returns the document of the context's
// request.
type readDocuments struct{}

var _ graphql.Cache[*ast.QueryDocument] = readDocuments{}

// Get implements graphql.Cache.
func (readDocuments) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add implements graphql.Cache.
func (readDocuments) Add(context.Context, string, *ast.QueryDocument) {}

// operation returns the requested operation with its variables, or the errors of the document or
// the request. gqlgen's own checks find no further errors afterwards.
func (t transport) operation(
	ctx context.Context, exec graphql.GraphExecutor, params *params,
) (*graphql.OperationContext, gqlerror.List) {
	none := &graphql.OperationContext{} // gqlgen expects one with errors, too
	doc, wrong := t.documents.Read(ctx, params.Query)
	if len(wrong) > 0 {
		return none, wrong
	}
	chosen, why := choose(doc.Operations, params.OperationName)
	if why != nil {
		return none, gqlerror.List{gqlerror.Wrap(why)}
	}
	values, invalid, wrong := variables.Coerce(t.documents.Schema(), chosen, params.Variables)
	if len(wrong) > 0 {
		return none, wrong
	}
	params.Variables = values
	op, wrong := exec.CreateOperationContext(context.WithValue(ctx, documentKey{}, doc), &params.RawParams)
	op.ResolverMiddleware = resolvers.Around(invalid, op.ResolverMiddleware)
	return op, wrong
}

// choose returns the operation with a name. The name may be empty if the document has one
// operation only.
func choose(all ast.OperationList, name string) (*ast.OperationDefinition, *errs.Error) {
	const field = "operationName"
	if found := all.ForName(name); found != nil {
		return found, nil
	}
	names := make([]string, len(all))
	for i, o := range all {
		names[i] = o.Name
	}
	list := strings.Join(names, ", ")
	switch {
	case name == "":
		return nil, errs.Invalid(field, "the document has %d operations: name one of %s", len(all), list).For(errs.Required)
	case list == "":
		return nil, errs.Invalid(field, "the document's only operation has no name: leave operationName out").For(errs.UnknownOperation)
	}
	return nil, errs.Invalid(field, "the document has no operation with this name: name one of %s", list).For(errs.UnknownOperation)
}
