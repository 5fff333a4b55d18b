package httpapi

import (
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"product-comments/graph/document"
	"product-comments/graph/guard"
)

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
