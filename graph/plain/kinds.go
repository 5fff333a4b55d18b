package plain

import "product-comments/graph/model"

// The types that pages of comments consist of. A field that is missing here is
// not wrong: gqlgen then runs what is selected together with it.

var product = &kind[model.Product]{
	conditions: []string{"Product", "Node"},
	fields: map[string]field[model.Product]{
		"__typename": typename[model.Product]("Product"),
		"id":         id(model.TypeProduct, func(p model.Product) string { return p.ProductID }),
		"productId":  text(func(p model.Product) string { return p.ProductID }),
	},
}

var comment = &kind[model.Comment]{
	conditions: []string{"Comment", "Node"},
	fields: map[string]field[model.Comment]{
		"__typename": typename[model.Comment]("Comment"),
		"id":         id(model.TypeComment, model.Comment.CommentID),
		"commentId":  text(model.Comment.CommentID),
		"product":    object(product, productOf),
		"rating":     number(model.Comment.Rating),
		"language":   text(model.Comment.Language),
		"title":      optionalText(model.Comment.Title),
		"text":       loaded(model.Comment.Text),
		"author":     optionalText(model.Comment.Author),
		"createdAt":  dateTime(model.Comment.CreatedAt),
		"updatedAt":  dateTime(model.Comment.UpdatedAt),
		"version":    number(model.Comment.Version),
	},
}

var commentEdge = &kind[model.CommentEdge]{
	conditions: []string{"CommentEdge"},
	fields: map[string]field[model.CommentEdge]{
		"__typename": typename[model.CommentEdge]("CommentEdge"),
		"cursor":     sealed(model.CommentEdge.Cursor),
		"node":       object(comment, func(e *model.CommentEdge) *model.Comment { return &e.Node }),
	},
}

var pageInfo = &kind[model.PageInfo]{
	conditions: []string{"PageInfo"},
	fields: map[string]field[model.PageInfo]{
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
