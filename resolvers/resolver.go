// Package resolvers resolves the schema's fields: each resolver parses its arguments, calls the
// store, and converts the result.
package resolvers

import (
	"product-comments/access"
	"product-comments/graph"
	"product-comments/store"
	"product-comments/store/key/cursor"
	"product-comments/store/key/invitations"
)

// Resolver is the root of all resolvers.
type Resolver struct {
	Store   *store.Store
	Cursors *cursor.Codec
	Rules   access.Rules
	// OnePerAuthor allows each author one comment per product.
	OnePerAuthor bool
	Invitations  *invitations.Codec
	// Guesses is the budget for wrong invitations.
	Guesses Guesses
	// Notices is the budget for reports without a token.
	Notices Notices
	// PhotoURL returns the address of a rendition of a photo: for an hour unless it is published. Nil
	// without photos.
	PhotoURL func(id string, rendition int, published bool) string
	// Address is where the pages of invitations are, such as https://reviews.example; empty if that is
	// not known.
	Address string
}

var _ graph.ResolverRoot = (*Resolver)(nil)
