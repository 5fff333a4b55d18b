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
	"product-comments/store/errs"
)

type documentKey struct{}

// readDocuments is the cache of documents into which gqlgen looks before it parses and
// validates one itself, which it must not do without the limits of graph/document. It has
// the document of the context's request.
type readDocuments struct{}

var _ graphql.Cache[*ast.QueryDocument] = readDocuments{}

// Get is part of graphql.Cache.
func (readDocuments) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add is part of graphql.Cache.
func (readDocuments) Add(context.Context, string, *ast.QueryDocument) {}

// operation returns the operation that a request asks for, with its variables, or what
// is wrong with its document or the request. gqlgen finds nothing wrong any more
// with what is checked here first.
func (t transport) operation(ctx context.Context, exec graphql.GraphExecutor, params *params) (*graphql.OperationContext, gqlerror.List) {
	none := &graphql.OperationContext{} // which gqlgen wants for errors, too
	doc, wrong := t.documents.Read(ctx, params.Query)
	if len(wrong) > 0 {
		return none, wrong
	}
	chosen, why := choose(doc.Operations, params.OperationName)
	if why != nil {
		return none, gqlerror.List{gqlerror.Wrap(why)}
	}
	if params.Variables, wrong = variables.Coerce(t.documents.Schema(), chosen, params.Variables); len(wrong) > 0 {
		return none, wrong
	}
	return exec.CreateOperationContext(context.WithValue(ctx, documentKey{}, doc), &params.RawParams)
}

// choose returns the operation of a name, which a document with only one need not be
// asked for by.
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

// Limits bound what one request may ask for.
type Limits struct {
	Body      int64         // bytes of a request's body
	Tokens    int           // of a query document
	Depth     int           // levels of fields
	Cost      int           // see graph.Measured
	Mutations int           // fields of Mutation in one operation
	Answer    int64         // bytes of an answer's data
	ReadUnits int           // read capacity units that its queries may consume
	Timeout   time.Duration // of a request
}

// DefaultLimits allow what front ends need: a page of 100 comments with every
// field, or the first page of dozens of products.
//
// A page of 100 comments with the longest texts has 8 MB and takes 2,100 units.
var DefaultLimits = Limits{
	Body: 512 << 10, Tokens: 5000, Depth: guard.Default.Depth, Cost: 10_000, Mutations: 10, Answer: 10 << 20, ReadUnits: 2500,
	Timeout: 10 * time.Second,
}

// documents returns what documents of a schema may be.
func (l Limits) documents(schema *ast.Schema, introspection bool) document.Options {
	parts := guard.Default
	parts.Depth = l.Depth
	return document.Options{Schema: schema, Tokens: l.Tokens, Guard: parts, Introspection: introspection}
}
