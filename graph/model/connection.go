package model

import (
	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/plan"
)

// CommentConnection is a page of comments.
type CommentConnection struct {
	Filter   plan.Filter // of the list, for those who count it
	ShowPlan bool        // whether clients may see how the page was read

	page     store.Page
	cursorOf CursorOf[key.Position]
	textErrs []error // of long texts that could not be loaded; nil if none failed
}

// NewCommentConnection wraps a page of the list that a filter lets through and
// that cursorOf belongs to.
func NewCommentConnection(page store.Page, f plan.Filter, cursorOf CursorOf[key.Position]) *CommentConnection {
	return &CommentConnection{Filter: f, page: page, cursorOf: cursorOf}
}

// TextsElsewhere returns the indexes of the comments whose texts are not at
// hand, and their ids.
func (c *CommentConnection) TextsElsewhere() (indexes []int, ids []string) {
	for i := range c.page.Comments {
		if c.page.Comments[i].TextElsewhere {
			indexes, ids = append(indexes, i), append(ids, c.page.Comments[i].ID)
		}
	}
	return indexes, ids
}

// SetText gives a comment its text, or the reason why it has none. Call it
// before the connection is resolved further.
func (c *CommentConnection) SetText(index int, text string, err error) {
	if err != nil {
		if c.textErrs == nil {
			c.textErrs = make([]error, len(c.page.Comments))
		}
		c.textErrs[index] = err
		return
	}
	c.page.Comments[index].Text = text
}

func (c *CommentConnection) comment(i int) Comment {
	out := Comment{of: &c.page.Comments[i]}
	if c.textErrs != nil {
		out.textErr = c.textErrs[i]
	}
	return out
}

func (c *CommentConnection) edge(i int) CommentEdge {
	return CommentEdge{Node: c.comment(i), cursorOf: c.cursorOf}
}

// Edges returns the comments with their cursors.
func (c *CommentConnection) Edges() []CommentEdge {
	edges := make([]CommentEdge, len(c.page.Comments))
	for i := range edges {
		edges[i] = c.edge(i)
	}
	return edges
}

// Nodes returns the comments alone.
func (c *CommentConnection) Nodes() []Comment {
	nodes := make([]Comment, len(c.page.Comments))
	for i := range nodes {
		nodes[i] = c.comment(i)
	}
	return nodes
}

// PageInfo tells whether there is more, and where.
func (c *CommentConnection) PageInfo() PageInfo {
	info := PageInfo{HasNextPage: c.page.HasNext, HasPreviousPage: c.page.HasPrevious}
	if n := len(c.page.Comments); n > 0 {
		info.start, info.end = c.edge(0).Cursor, c.edge(n-1).Cursor
	}
	return info
}

// CommentEdge is a comment's place in a list.
type CommentEdge struct {
	Node     Comment
	cursorOf CursorOf[key.Position]
}

// NewCommentEdge returns the edge of a comment in the list that cursorOf belongs to.
func NewCommentEdge(node Comment, cursorOf CursorOf[key.Position]) CommentEdge {
	return CommentEdge{Node: node, cursorOf: cursorOf}
}

// Cursor returns the token for after and before.
func (e CommentEdge) Cursor() (string, error) { return e.cursorOf(e.Node.of.Position()) }
