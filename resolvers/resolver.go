// Package resolvers resolves the schema's fields: each resolver parses its arguments, calls the
// store, and converts the result.
package resolvers

import (
	"product-comments/access"
	"product-comments/graph"
	"product-comments/store"
	"product-comments/store/cursor"
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

// Each type of the schema with resolvers has a type here.
type (
	query             struct{ *Resolver }
	mutation          struct{ *Resolver }
	product           struct{ *Resolver }
	comment           struct{ *Resolver }
	commentConnection struct{ *Resolver }
	leaderboardEdge   struct{}
	user              struct{ *Resolver }
	order             struct{ *Resolver }
	productStats      struct{ *Resolver }
	attributeStats    struct{ *Resolver }
	moderationQueue   struct{ *Resolver }
)

// Query returns the resolvers of the type Query.
func (r *Resolver) Query() graph.QueryResolver { return query{r} }

// Mutation returns the resolvers of the type Mutation.
func (r *Resolver) Mutation() graph.MutationResolver { return mutation{r} }

// Product returns the resolvers of the type Product.
func (r *Resolver) Product() graph.ProductResolver { return product{r} }

// Comment returns the resolvers of the type Comment.
func (r *Resolver) Comment() graph.CommentResolver { return comment{r} }

// CommentConnection returns the resolvers of the type CommentConnection.
func (r *Resolver) CommentConnection() graph.CommentConnectionResolver { return commentConnection{r} }

// LeaderboardEdge returns the resolvers of the type LeaderboardEdge.
func (r *Resolver) LeaderboardEdge() graph.LeaderboardEdgeResolver { return leaderboardEdge{} }

// ProductStats returns the resolvers of the type ProductStats.
func (r *Resolver) ProductStats() graph.ProductStatsResolver { return productStats{r} }

// AttributeStats returns the resolvers of the type AttributeStats.
func (r *Resolver) AttributeStats() graph.AttributeStatsResolver { return attributeStats{r} }

// ModerationQueueConnection returns the resolvers of the type ModerationQueueConnection.
func (r *Resolver) ModerationQueueConnection() graph.ModerationQueueConnectionResolver {
	return moderationQueue{r}
}

// User returns the resolvers of the type User.
func (r *Resolver) User() graph.UserResolver { return user{r} }

// Order returns the resolvers of the type Order.
func (r *Resolver) Order() graph.OrderResolver { return order{r} }
