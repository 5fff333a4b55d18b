package httpapi

import (
	"context"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"product-comments/graph/variables"
	"product-comments/store/errs"
)

// operation returns the operation of a document that a request asks for, with its
// variables, or what is wrong with the request. gqlgen finds nothing wrong any more
// with what is checked here first.
func (t transport) operation(
	ctx context.Context, exec graphql.GraphExecutor, params *params, doc *ast.QueryDocument,
) (*graphql.OperationContext, gqlerror.List) {
	chosen, why := choose(doc.Operations, params.OperationName)
	if why != nil {
		return &graphql.OperationContext{}, gqlerror.List{gqlerror.Wrap(why)}
	}
	var wrong gqlerror.List
	if params.Variables, wrong = variables.Coerce(t.documents.Schema(), chosen, params.Variables); len(wrong) > 0 {
		return &graphql.OperationContext{}, wrong
	}
	return exec.CreateOperationContext(withDocument(ctx, doc), &params.RawParams)
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
		return nil, errs.Invalid(field, "the document has %d operations, say which one: %s", len(all), list).For(errs.Required)
	case list == "":
		return nil, errs.Invalid(field, "the document's operation has no name").For(errs.UnknownOperation)
	}
	return nil, errs.Invalid(field, "the document has no operation of this name, it has %s", list).For(errs.UnknownOperation)
}
