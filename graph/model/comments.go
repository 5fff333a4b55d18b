package model

import (
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// CommentEdge is a comment's place in a list.
type CommentEdge struct {
	Edge[Comment, key.Position]
}

// NewCommentEdge returns the edge of a comment in the list that cursorOf belongs to.
func NewCommentEdge(c *store.Comment, may May, cursorOf CursorOf[key.Position]) CommentEdge {
	return CommentEdge{NewEdge(NewComment(c, may), c.Position(), cursorOf)}
}

// CommentConnection is a page of comments.
type CommentConnection struct {
	Connection[Comment, CommentEdge]
	Filter   plan.Filter // of the list, by which its total is counted
	ShowPlan bool        // whether clients may see how the page was read

	page store.Page // what Plan tells about
}

// NewCommentConnection returns the connection of a page of the list that a
// filter lets through and that cursorOf belongs to.
func NewCommentConnection(page store.Page, f plan.Filter, cursorOf CursorOf[key.Position]) *CommentConnection {
	edges := NewConnection(page.Page, func(c *store.Comment) CommentEdge { return NewCommentEdge(c, May{}, cursorOf) })
	return &CommentConnection{Connection: edges, Filter: f, page: page}
}

// SetMay says what the viewer may do to each comment. Call it before the connection
// is resolved further.
func (c *CommentConnection) SetMay(may func(*store.Comment) May) {
	for i := range c.edges {
		node := &c.edges[i].Node
		node.may = may(node.of)
	}
}

// IDs returns the comments' own ids.
func (c *CommentConnection) IDs() []string {
	ids := make([]string, len(c.edges))
	for i := range c.edges {
		ids[i] = c.edges[i].Node.of.ID
	}
	return ids
}

// TextsElsewhere returns the indexes of the comments whose texts are not at
// hand, and their ids.
func (c *CommentConnection) TextsElsewhere() (indexes []int, ids []string) {
	for i := range c.edges {
		if of := c.edges[i].Node.of; of.TextElsewhere {
			indexes, ids = append(indexes, i), append(ids, of.ID)
		}
	}
	return indexes, ids
}

// SetText gives a comment its text, or the reason why it has none. Call it
// before the connection is resolved further.
func (c *CommentConnection) SetText(index int, text string, err error) {
	node := &c.edges[index].Node
	if err != nil {
		node.textErr = err
		return
	}
	node.of.Text = text
}
