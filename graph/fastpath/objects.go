package fastpath

import (
	"time"

	"product-comments/graph/model"
)

// The types that pages of comments consist of, with their plain fields. A query
// for any other field of theirs is not refused: gqlgen then runs it, and what is
// selected beside it.

var product = &objectType[model.Product]{
	conditions: []string{"Product", "Node"},
	fields: map[string]compileField[model.Product]{
		"__typename": typename[model.Product]("Product"),
		"id":         id(model.TypeProduct, func(p model.Product) string { return p.ProductID }),
		"productId":  text(func(p model.Product) string { return p.ProductID }),
	},
}

var comment = &objectType[model.Comment]{
	conditions: []string{"Comment", "Node"},
	fields: map[string]compileField[model.Comment]{
		"__typename": typename[model.Comment]("Comment"),
		"id":         id(model.TypeComment, model.Comment.CommentID),
		"commentId":  text(model.Comment.CommentID),
		"product":    object(product, productOf),
		"rating":     number(model.Comment.Rating),
		"language":   text(model.Comment.Language),
		"title":      optionalText(model.Comment.Title),
		"text":       loaded(model.Comment.Text),
		"author":     optionalText(model.Comment.Author),
		"status":     text(func(c model.Comment) string { return string(c.Status()) }),
		"reply":      optionalObject(reply, func(c *model.Comment) *model.ShopReply { return c.Reply() }),
		"helpful":    loadedOf(model.Comment.Helpful, appendInt),
		"createdAt":  dateTime(model.Comment.CreatedAt),
		"updatedAt":  loadedTime(model.Comment.UpdatedAt),
		"version":    loadedNumber(model.Comment.Version),

		"statusReason":     optionalText(model.Comment.StatusReason),
		"helpfulCount":     loadedNumber(model.Comment.HelpfulCount),
		"unhelpfulCount":   loadedNumber(model.Comment.UnhelpfulCount),
		"verifiedPurchase": optionalTruth(model.Comment.VerifiedPurchase),

		"viewerCanUpdate": truth(model.Comment.ViewerCanUpdate),
		"viewerCanDelete": truth(model.Comment.ViewerCanDelete),
	},
}

var reply = &objectType[model.ShopReply]{
	conditions: []string{"ShopReply"},
	fields: map[string]compileField[model.ShopReply]{
		"__typename": typename[model.ShopReply]("ShopReply"),
		"text":       text(func(r model.ShopReply) string { return r.Text }),
		"createdAt":  dateTime(func(r model.ShopReply) time.Time { return r.CreatedAt }),
		"updatedAt":  dateTime(func(r model.ShopReply) time.Time { return r.UpdatedAt }),
	},
}

var commentEdge = &objectType[model.CommentEdge]{
	conditions: []string{"CommentEdge"},
	fields: map[string]compileField[model.CommentEdge]{
		"__typename": typename[model.CommentEdge]("CommentEdge"),
		"cursor":     sealed(model.CommentEdge.Cursor),
		"node":       object(comment, func(e *model.CommentEdge) *model.Comment { return &e.Node }),
	},
}

var pageInfo = &objectType[model.PageInfo]{
	conditions: []string{"PageInfo"},
	fields: map[string]compileField[model.PageInfo]{
		"__typename":      typename[model.PageInfo]("PageInfo"),
		"hasNextPage":     truth(func(p model.PageInfo) bool { return p.HasNextPage }),
		"hasPreviousPage": truth(func(p model.PageInfo) bool { return p.HasPreviousPage }),
		"startCursor":     loaded(model.PageInfo.StartCursor),
		"endCursor":       loaded(model.PageInfo.EndCursor),
	},
}

func productOf(c *model.Comment) *model.Product {
	p := c.Product()
	return &p
}
