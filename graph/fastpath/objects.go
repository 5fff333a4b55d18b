package fastpath

import (
	"strconv"
	"time"

	"product-comments/graph/model"
	"product-comments/store/item"
)

// The types that pages of comments consist of, with their plain fields. A query
// for any other field of theirs is not refused: gqlgen then runs it, and what is
// selected beside it.

var product = &objectType[model.Product]{
	conditions: []string{"Product", "Node"},
	fields: map[string]compileField[model.Product]{
		"__typename": typename[model.Product]("Product"),
		"id":         value(appendID(model.TypeProduct), func(p model.Product) string { return p.ProductID }),
		"productId":  value(appendString, func(p model.Product) string { return p.ProductID }),
	},
}

var comment = &objectType[model.Comment]{
	conditions: []string{"Comment", "Node"},
	fields: map[string]compileField[model.Comment]{
		"__typename": typename[model.Comment]("Comment"),
		"id":         value(appendID(model.TypeComment), model.Comment.CommentID),
		"commentId":  value(appendString, model.Comment.CommentID),
		"product":    object(product, func(c *model.Comment) *model.Product { return new(c.Product()) }),
		"rating":     value(appendInt, func(c model.Comment) int { return c.Rating }),
		"language":   value(appendString, func(c model.Comment) string { return c.Language }),
		"title":      optional(appendString, model.Comment.Title),
		"text":       optionalLoaded(appendString, model.Comment.Text),
		"author":     optional(appendString, model.Comment.Author),
		"status":     value(appendString, func(c model.Comment) string { return c.State.String() }),
		"reply":      object(reply, func(c *model.Comment) *item.Reply { return c.Reply }),
		"helpful":    optionalLoaded(appendInt, model.Comment.Helpful),
		"createdAt":  value(model.AppendDateTime, func(c model.Comment) time.Time { return c.CreatedAt }),
		"updatedAt":  loaded(model.AppendDateTime, model.Comment.UpdatedAt),
		"version":    loaded(appendInt, model.Comment.Version),

		"statusReason":     optional(appendString, model.Comment.StatusReason),
		"helpfulCount":     loaded(appendInt, model.Comment.HelpfulCount),
		"unhelpfulCount":   loaded(appendInt, model.Comment.UnhelpfulCount),
		"verifiedPurchase": optional(strconv.AppendBool, func(c model.Comment) *bool { return c.VerifiedPurchase }),

		"viewerCanUpdate": value(strconv.AppendBool, model.Comment.ViewerCanUpdate),
		"viewerCanDelete": value(strconv.AppendBool, model.Comment.ViewerCanDelete),
	},
}

var reply = &objectType[item.Reply]{
	conditions: []string{"ShopReply"},
	fields: map[string]compileField[item.Reply]{
		"__typename": typename[item.Reply]("ShopReply"),
		"text":       value(appendString, func(r item.Reply) string { return r.Text }),
		"createdAt":  value(model.AppendDateTime, func(r item.Reply) time.Time { return r.CreatedAt }),
		"updatedAt":  value(model.AppendDateTime, func(r item.Reply) time.Time { return r.UpdatedAt }),
	},
}

var commentEdge = &objectType[model.CommentEdge]{
	conditions: []string{"CommentEdge"},
	fields: map[string]compileField[model.CommentEdge]{
		"__typename": typename[model.CommentEdge]("CommentEdge"),
		"cursor":     loaded(appendString, model.CommentEdge.Cursor),
		"node":       object(comment, func(e *model.CommentEdge) *model.Comment { return &e.Node }),
	},
}

var pageInfo = &objectType[model.PageInfo]{
	conditions: []string{"PageInfo"},
	fields: map[string]compileField[model.PageInfo]{
		"__typename":      typename[model.PageInfo]("PageInfo"),
		"hasNextPage":     value(strconv.AppendBool, func(p model.PageInfo) bool { return p.HasNextPage }),
		"hasPreviousPage": value(strconv.AppendBool, func(p model.PageInfo) bool { return p.HasPreviousPage }),
		"startCursor":     optionalLoaded(appendString, model.PageInfo.StartCursor),
		"endCursor":       optionalLoaded(appendString, model.PageInfo.EndCursor),
	},
}

func appendInt(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }

// appendID appends the global id of an object of a type, made from its own id.
func appendID(t model.NodeType) appendValue[string] {
	return func(b []byte, own string) []byte {
		return append(model.AppendGlobalID(append(b, '"'), t, own), '"')
	}
}
