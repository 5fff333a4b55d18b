package model

import (
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/list"
	"product-comments/store/plan"
)

// CommentEdge is a comment's place in a list.
type CommentEdge struct {
	Edge[Comment, key.Position]
}

// NewCommentEdge returns the edge of a comment at a place of the list that cursorOf
// belongs to.
func NewCommentEdge(c *store.Comment, may May, at key.Position, cursorOf CursorOf[key.Position]) CommentEdge {
	return CommentEdge{NewEdge(NewComment(c, may), at, cursorOf)}
}

// CommentConnection is a page of comments.
type CommentConnection struct {
	Connection[Comment, CommentEdge]
	Filter   plan.Filter // of the list, by which its total is counted
	ShowPlan bool        // whether clients may see how the page was read
	Facets   bool        // whether its facets are asked for
	// Uncounted is true for what a user wrote, which no statistics count.
	Uncounted bool
	Numbers   *Numbers // nil if they are not asked for, or the list has none

	page store.Page // what Plan tells about
}

// NewCommentConnection returns the connection of a page of the list that a
// filter lets through and that cursorOf belongs to.
func NewCommentConnection(page store.Page, f plan.Filter, cursorOf CursorOf[key.Position]) *CommentConnection {
	edges := NewConnection(page.Page, func(item int) CommentEdge {
		return CommentEdge{NewEdge(Comment{Comment: &page.Items[item]}, page.Position(item), cursorOf)}
	})
	return &CommentConnection{Connection: edges, Filter: f, page: page}
}

// NewAuthoredConnection returns the connection of a page of a user's comments, which
// cursorOf belongs to: no one counts it. may says what the viewer may do to a comment.
func NewAuthoredConnection(page list.Page[store.Placed], may func(*store.Comment) May, cursorOf CursorOf[key.Position]) *CommentConnection {
	return &CommentConnection{Uncounted: true, Connection: NewConnection(page, func(i int) CommentEdge {
		c := page.Items[i].Comment
		return NewCommentEdge(c, may(c), page.Items[i].At, cursorOf)
	})}
}

// SetMay says what the viewer may do to each comment. Call it before the connection
// is resolved further.
func (c *CommentConnection) SetMay(may func(*store.Comment) May) {
	for i := range c.edges {
		node := &c.edges[i].Node
		node.may = may(node.Comment)
	}
}

// IDs returns the comments' own ids.
func (c *CommentConnection) IDs() []string {
	return mapList(c.edges, func(e *CommentEdge) string { return e.Node.CommentID() })
}

// Elsewhere returns the indexes of the comments of which something that is asked for
// is not at hand, and their ids: a long text, what an import keeps, or what every edit
// changes.
func (c *CommentConnection) Elsewhere(text, kept, edit bool) (indexes []int, ids []string) {
	for i := range c.edges {
		if of := c.edges[i].Node.Comment; kept || text && of.TextElsewhere || edit && of.EditElsewhere {
			indexes, ids = append(indexes, i), append(ids, of.ID)
		}
	}
	return indexes, ids
}

// Load gives a comment what was not at hand, from the whole comment, or the reason
// why it has not. Call it before the connection is resolved further.
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
	if node.EditElsewhere { // its version must be that of all that is shown of it, or who changes it undoes an edit unseen
		*node.Comment = *whole
		return
	}
	if node.TextElsewhere {
		node.Comment.Text = whole.Text
	}
	of := node.Comment
	of.VerifiedPurchase, of.Helpful, of.Attributes = whole.VerifiedPurchase, whole.Helpful, whole.Attributes
	of.Up, of.Down, of.Ballot = whole.Up, whole.Down, whole.Ballot
	of.Reports = whole.Reports
}
