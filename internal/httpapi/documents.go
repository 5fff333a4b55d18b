package httpapi

import (
	"context"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
)

type documentKey struct{}

// withDocument returns a context in which gqlgen finds the request's document: it
// looks into its cache of documents before it parses and validates one itself,
// which it must not do without the limits of graph/document.
func withDocument(ctx context.Context, doc *ast.QueryDocument) context.Context {
	return context.WithValue(ctx, documentKey{}, doc)
}

// readDocuments is the cache that gqlgen looks into.
type readDocuments struct{}

// Get is part of graphql.Cache.
func (readDocuments) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

// Add is part of graphql.Cache.
func (readDocuments) Add(context.Context, string, *ast.QueryDocument) {}

var _ graphql.Cache[*ast.QueryDocument] = readDocuments{}

// withoutOperation returns a context for errors about a request that has no
// operation, where gqlgen looks for one.
func withoutOperation(ctx context.Context) context.Context {
	return graphql.WithOperationContext(ctx, &graphql.OperationContext{})
}
