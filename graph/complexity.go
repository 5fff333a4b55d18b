package graph

import "product-comments/graph/model"

// What a read costs in terms of fields, which cost 1 each. A connection is a
// query of up to five partitions, an object by its id or a product's statistics
// are a share of a batch.
const (
	connectionCost = 20
	lookupCost     = 5
)

// PageSize and MaxPageSize bound a connection's first and last.
const (
	PageSize    = 20
	MaxPageSize = 100
	// MaxIDs bounds the lists of ids in nodes and products.
	MaxIDs = 100
)

// Complexity returns what fields cost that cost more than 1. A connection
// multiplies what is asked of its edges and nodes; Limits adds the rest.
func Complexity() ComplexityRoot {
	var c ComplexityRoot
	c.Product.Comments = func(child int, _ *string, _ []int, first *int, _ *string, last *int, _ *string) int {
		return connectionCost + pageSize(first, last)*child
	}
	c.CommentConnection.TotalCount = func(int) int { return lookupCost }
	c.Product.Stats = func(child int, _ *string) int { return lookupCost + child }
	c.Query.Leaderboard = func(child int, _ *string, first *int, _ *string, last *int, _ *string) int {
		return connectionCost + pageSize(first, last)*child
	}
	c.Query.Node = func(child int, _ string) int { return lookupCost + child }
	c.Query.Comment = func(child int, _ string) int { return lookupCost + child }
	c.Query.Nodes = func(child int, ids []string) int { return len(ids) * (lookupCost + child) }
	c.Query.Products = func(child int, ids []string) int { return len(ids) * child }
	c.Mutation.CreateComment = func(child int, _ model.CreateCommentInput) int { return connectionCost + child }
	c.Mutation.UpdateComment = func(child int, _ model.UpdateCommentInput) int { return connectionCost + child }
	c.Mutation.DeleteComment = func(child int, _ model.DeleteCommentInput) int { return connectionCost + child }
	return c
}

// pageSize clamps what a client asks for, which the resolver refuses later if
// it is out of range: a cost must not be negative or overflow.
func pageSize(first, last *int) int {
	n := PageSize
	switch {
	case first != nil:
		n = *first
	case last != nil:
		n = *last
	}
	return min(max(n, 0), MaxPageSize)
}
