package model

import (
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/key"
	"product-comments/store/key/list"
	"product-comments/store/read/plan"
)

// CommentEdge is a comment in a list.
type CommentEdge struct {
	Edge[Comment, key.Position]
}

// NewCommentEdge returns the edge of a comment at a position of the list that cursorOf belongs to.
func NewCommentEdge(c *store.Comment, may May, at key.Position, cursorOf CursorOf[key.Position]) CommentEdge {
	return CommentEdge{NewEdge(NewComment(c, may), at, cursorOf)}
}

// CommentConnection is a page of comments.
type CommentConnection struct {
	Connection[Comment, CommentEdge]
	Filter   plan.Filter // of the list, for its total
	ShowPlan bool        // whether clients may see the plan
	Facets   bool        // whether facets are selected
	// Uncounted is true for a user's comments, which no statistics count.
	Uncounted bool
	Numbers   *Numbers // nil if they are not selected, or the list has none

	page store.Page // for Plan
}

// NewCommentConnection returns the connection of a page of the list with a filter, whose cursors
// cursorOf makes.
func NewCommentConnection(page store.Page, f plan.Filter, cursorOf CursorOf[key.Position]) *CommentConnection {
	edges := NewConnection(page.Page, func(i int) CommentEdge {
		return CommentEdge{NewEdge(Comment{Comment: &page.Items[i]}, page.Position(i), cursorOf)}
	})
	return &CommentConnection{Connection: edges, Filter: f, page: page}
}

// NewPlaced returns the connection of a page of comments that were read as a whole, whose cursors
// cursorOf makes. may returns the viewer's permissions for the comments of an owner.
func NewPlaced(
	page list.Page[store.Placed], may func(owner string) May, cursorOf CursorOf[key.Position],
) Connection[Comment, CommentEdge] {
	of := NewConnection(page, func(i int) CommentEdge {
		c := page.Items[i].Comment
		return NewCommentEdge(c, may(c.Owner), page.Items[i].At, cursorOf)
	})
	of.readsOn(page.Start, page.End, cursorOf)
	return of
}

// SetMay sets the viewer's permissions for each comment. Call it before the connection is resolved
// further.
func (c *CommentConnection) SetMay(may func(*store.Comment) May) {
	for i := range c.edges {
		node := &c.edges[i].Node
		node.may = may(node.Comment)
	}
}

// IDs returns the comments' own ids.
func (c *CommentConnection) IDs() []string {
	return MapList(c.edges, func(e *CommentEdge) string { return e.Node.Comment.ID })
}

// Elsewhere returns the indexes and ids of the comments that must be loaded.
func (c *CommentConnection) Elsewhere(needs item.Needs) (indexes []int, ids []string) {
	for i := range c.edges {
		if of := c.edges[i].Node.Comment; needs.Of(of) {
			indexes, ids = append(indexes, i), append(ids, of.ID)
		}
	}
	return indexes, ids
}

// Load sets the fields of a comment that were not in the list, from the whole comment, or the
// error of loading it. Call it before the connection is resolved further.
func (c *CommentConnection) Load(index int, whole *store.Comment, err error) {
	node := &c.edges[index].Node
	if err != nil {
		node.keptErr = err
		if node.TextElsewhere {
			node.textErr = err
		}
		return
	}
	node.Whole = true
	node.Comment.Complete(whole)
}
