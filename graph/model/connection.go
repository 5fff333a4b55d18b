package model

import (
	"product-comments/store"
	"product-comments/store/key"
)

// CursorOf makes the cursor of a position in one list. Cursors are made when a
// query asks for them, not before: each is sealed.
type CursorOf func(key.Position) (string, error)

// CommentConnection is a page of comments.
type CommentConnection struct {
	page     store.Page
	cursorOf CursorOf
	textErrs []error // of long texts that could not be loaded; nil if none failed
}

// NewCommentConnection wraps a page of the list that cursorOf belongs to.
func NewCommentConnection(page store.Page, cursorOf CursorOf) *CommentConnection {
	return &CommentConnection{page: page, cursorOf: cursorOf}
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

// Edges returns the comments with their cursors.
func (c *CommentConnection) Edges() []CommentEdge {
	edges := make([]CommentEdge, len(c.page.Comments))
	for i := range edges {
		edges[i] = CommentEdge{Node: c.comment(i), cursorOf: c.cursorOf}
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
	info := PageInfo{HasNextPage: c.page.HasNext, HasPreviousPage: c.page.HasPrevious, cursorOf: c.cursorOf}
	if n := len(c.page.Comments); n > 0 {
		first, last := c.page.Comments[0].Position(), c.page.Comments[n-1].Position()
		info.start, info.end = &first, &last
	}
	return info
}

// CommentEdge is a comment's place in a list.
type CommentEdge struct {
	Node     Comment
	cursorOf CursorOf
}

// NewCommentEdge returns the edge of a comment in the list that cursorOf belongs to.
func NewCommentEdge(node Comment, cursorOf CursorOf) CommentEdge {
	return CommentEdge{Node: node, cursorOf: cursorOf}
}

// Cursor returns the token for after and before.
func (e CommentEdge) Cursor() (string, error) { return e.cursorOf(e.Node.of.Position()) }

// PageInfo tells where a page lies in its list.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool

	start, end *key.Position
	cursorOf   CursorOf
}

// StartCursor returns the first edge's cursor, nil on an empty page.
func (p PageInfo) StartCursor() (*string, error) { return p.cursor(p.start) }

// EndCursor returns the last edge's cursor, nil on an empty page.
func (p PageInfo) EndCursor() (*string, error) { return p.cursor(p.end) }

func (p PageInfo) cursor(at *key.Position) (*string, error) {
	if at == nil {
		return nil, nil
	}
	token, err := p.cursorOf(*at)
	if err != nil {
		return nil, err
	}
	return &token, nil
}
