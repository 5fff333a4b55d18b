// Package resolvers resolves the schema's fields: each resolver parses its arguments, calls the
// store, and converts the result.
package resolvers

import (
	"product-comments/access"
	"product-comments/graph"
	"product-comments/store"
	"product-comments/store/key/cursor"
)

// Resolver is the root of all resolvers.
type Resolver struct {
	Store   *store.Store
	Cursors *cursor.Codec
	Rules   access.Rules
	// OnePerAuthor allows each author one comment per product.
	OnePerAuthor bool
}

var _ graph.ResolverRoot = (*Resolver)(nil)
