package httpapi

import (
	"context"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/document"
	"product-comments/graph/guard"
	"product-comments/graph/variables"
	"product-comments/resolvers"
	"product-comments/store/errs"
)

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
	op.ResolverMiddleware = resolvers.CheckArguments(invalid, op.ResolverMiddleware)
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

// Limits bound a request.
type Limits struct {
	Body      int64         // bytes of a request's body
	Tokens    int           // of a query document
	Depth     int           // levels of fields
	Cost      int           // see graph.Measured
	Mutations int           // mutation fields of an operation
	Answer    int64         // bytes of an answer's data
	ReadUnits int           // that the queries of a request may consume
	Timeout   time.Duration // of a request
}

// DefaultLimits are enough for front ends: a page of 100 comments with every field, or the first
// page of dozens of products.
//
// A page of 100 comments with the longest texts has 8 MB and takes 2,100 units.
var DefaultLimits = Limits{
	Body: 512 << 10, Tokens: 5000, Depth: guard.Default.Depth, Cost: 10_000, Mutations: 10, Answer: 10 << 20,
	ReadUnits: 2500, Timeout: 10 * time.Second,
}

// documents returns the options for reading documents of a schema.
func (l Limits) documents(schema *ast.Schema, introspection bool) document.Options {
	parts := guard.Default
	parts.Depth = l.Depth
	return document.Options{Schema: schema, Tokens: l.Tokens, Guard: parts, Introspection: introspection}
}
