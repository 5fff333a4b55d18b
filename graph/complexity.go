package graph

import (
	"time"

	"product-comments/graph/model"
)

// What reads cost, where a field that reads nothing costs 1. A connection is a query
// of up to five partitions for each language, and each item of the page is read whatever is selected
// of it. An object by its id, or a product's statistics, is one item of a batch. A
// text is the one field that may be long: it is read on its own then, and weighs as
// much as many fields under every alias.
const (
	connectionCost = 20
	itemCost       = 1
	lookupCost     = 5
	textCost       = 10
	// writtenBytes is how much of a comment's texts costs 1 when it is written.
	writtenBytes = 1000
)

const (
	PageSize    = 20  // of a connection without first and last
	MaxPageSize = 100 // the most that first and last may be
	MaxIDs      = 100 // the most ids that nodes and products take
	// MaxLanguages is the most languages that a filter names: each is partitions of
	// its own.
	MaxLanguages = 10
)

// Complexity returns the costs of fields that cost more than 1; child is the cost of
// what is selected below the field. A connection multiplies the cost of its edges
// and nodes by the size of the page. Limits adds the cost of its other fields once, and
// that of lists in lengths by the steps that making them takes.
func Complexity() ComplexityRoot {
	var c ComplexityRoot
	c.Product.Comments = func(
		child int, _ *string, languages []string, regions *bool, _ []int, withText, verifiedOnly *bool, attributes []model.AttributeFilter, order *model.CommentOrder,
		first *int, _ *string, last *int, _ *string,
	) int {
		cost := connectionCost * min(max(len(languages), 1), MaxLanguages)
		for _, more := range []*bool{regions, withText, verifiedOnly} { // partitions, or comments, that only reading tells
			if more != nil && *more {
				cost *= 2
			}
		}
		if len(attributes) > 0 {
			cost *= 2
		}
		if order != nil && order.Field != model.CommentOrderFieldCreatedAt { // several stretches, in turn
			cost *= 2
		}
		return cost + pageSize(first, last)*(itemCost+child)
	}
	c.Comment.Text = func(int) int { return textCost }
	c.Comment.Helpful = func(int) int { return lookupCost }
	c.Comment.HelpfulCount = func(int) int { return lookupCost }
	c.Comment.UnhelpfulCount = func(int) int { return lookupCost }
	c.Comment.ViewerVote = func(int) int { return lookupCost }
	c.Comment.Attributes = func(child int) int { return lookupCost + child }
	c.Product.Attributes = func(child int) int { return lookupCost + child }
	c.CommentConnection.TotalCount = func(int) int { return lookupCost }
	c.CommentConnection.Facets = func(child int) int { return lookupCost + child }
	c.Comment.ReportCount = func(int) int { return lookupCost }
	c.Comment.Reports = func(child int) int { return lookupCost + child }
	c.Comment.History = func(child int) int { return lookupCost + child }
	c.Query.ModerationQueue = func(child int, _ *model.CommentStatus, _ *string, _ *bool, first *int, _ *string, last *int, _ *string) int {
		return connectionCost + pageSize(first, last)*(lookupCost+child)
	}
	c.ModerationQueueConnection.TotalCount = func(int) int { return lookupCost }
	c.ModerationQueueConnection.Counts = func(child int) int { return lookupCost + child }
	c.LeaderboardEdge.FiveStarCount = func(int) int { return lookupCost }
	c.Product.Stats = func(child int, _ *string) int { return lookupCost + child }
	c.ProductStats.VerifiedCount = func(int) int { return lookupCost }
	c.Product.AttributeStats = func(child int, _ string, _ *string) int { return lookupCost + child }
	c.AttributeStats.Minimum = func(int) int { return lookupCost }
	c.AttributeStats.Maximum = func(int) int { return lookupCost }
	c.Product.ViewerComment = func(child int) int { return 2*lookupCost + child }
	c.Query.Leaderboard = func(child int, _ *string, first *int, _ *string, last *int, _ *string) int {
		return connectionCost + pageSize(first, last)*(itemCost+child)
	}
	c.Query.User = func(child int, _ string) int { return lookupCost + child }
	c.Query.Order = func(child int, _ string) int { return lookupCost + child }
	c.Query.OpenOrders = func(child int, first *int, _ *string, last *int, _ *string) int {
		return connectionCost*2 + pageSize(first, last)*(itemCost+child) // a query of each partition
	}
	c.User.CreatedAt = func(int) int { return lookupCost }
	c.User.Orders = func(
		child int, _ *model.OrderStatus, _, _ *time.Time, first *int, _ *string, last *int, _ *string,
	) int {
		return connectionCost + pageSize(first, last)*(itemCost+child)
	}
	c.User.Comments = func(
		child int, _ *model.CommentStatus, _, _ *time.Time, first *int, _ *string, last *int, _ *string,
	) int {
		return connectionCost + pageSize(first, last)*(lookupCost+child) // each is read by itself
	}
	c.Order.Lines = func(child int) int { return lookupCost + child }
	c.Query.Node = func(child int, _ string) int { return lookupCost + child }
	c.Query.Comment = func(child int, _ string) int { return lookupCost + child }
	c.Query.Nodes = func(child int, ids []string) int { return len(ids) * (lookupCost + child) }
	c.Query.Products = func(child int, ids []string) int { return len(ids) * child }
	c.Mutation.CreateComment = func(child int, in model.CreateCommentInput) int {
		return connectionCost + writtenCost(in.Attributes, in.Title, in.Text, in.Author) + child
	}
	c.Mutation.UpdateComment = func(child int, in model.UpdateCommentInput) int {
		return connectionCost + writtenCost(in.Attributes, in.Title, in.Text) + child
	}
	c.Mutation.DeleteComment = func(child int, _ model.DeleteCommentInput) int { return connectionCost + child }
	c.Mutation.DefineAttributes = func(child int, _ model.DefineAttributesInput) int { return connectionCost + child }
	c.Mutation.AssignGroup = func(child int, _ model.AssignGroupInput) int { return connectionCost + child }
	c.Mutation.RecordOrder = func(child int, _ model.RecordOrderInput) int { return connectionCost + child }
	c.Mutation.SetOrderStatus = func(child int, _ model.SetOrderStatusInput) int { return connectionCost + child }
	c.Mutation.VoteHelpful = func(child int, _ model.VoteHelpfulInput) int { return connectionCost + child }
	c.Mutation.ApproveComment = func(child int, _ model.ApproveCommentInput) int { return connectionCost + child }
	c.Mutation.RejectComment = func(child int, _ model.RejectCommentInput) int { return connectionCost + child }
	c.Mutation.WithdrawComment = func(child int, _ model.WithdrawCommentInput) int { return connectionCost + child }
	c.Mutation.ReportComment = func(child int, _ model.ReportCommentInput) int { return connectionCost + child }
	c.Mutation.ReplyToComment = func(child int, _ model.ReplyToCommentInput) int { return connectionCost + child }
	return c
}

// writtenCost is for what a comment says, which is looked through before it is shown: 1 for
// each writtenBytes.
func writtenCost(attributes []model.AttributeInput, texts ...*string) int {
	bytes := 0
	for _, text := range texts {
		if text != nil {
			bytes += len(*text)
		}
	}
	for _, a := range attributes {
		if a.Value != nil {
			bytes += len(*a.Value)
		}
	}
	return bytes / writtenBytes
}

// pageSize clamps the size that a client asks for, so that a cost is never negative
// and does not overflow. The resolver refuses a size that is out of range later.
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
