package model

import (
	"product-comments/store/key"
	"product-comments/store/key/list"
)

// CursorOf makes the cursor of a position in one list. Cursors are sealed, so they are made only
// when a query selects them.
type CursorOf[P key.Place] func(P) (string, error)

// Edge is an object in a list of any kind.
type Edge[N any, P key.Place] struct {
	Node N

	place    P
	cursorOf CursorOf[P]
}

// NewEdge returns the edge of an object at a position of the list that cursorOf belongs to.
func NewEdge[N any, P key.Place](node N, place P, cursorOf CursorOf[P]) Edge[N, P] {
	return Edge[N, P]{Node: node, place: place, cursorOf: cursorOf}
}

// Cursor returns the cursor for after and before.
func (e Edge[N, P]) Cursor() (string, error) { return e.cursorOf(e.place) }

func (e Edge[N, P]) node() N { return e.Node }

// edge is the constraint for edges of every list: a type that embeds Edge, with additional fields.
type edge[N any] interface {
	Cursor() (string, error)
	node() N
}

// Connection is a page of a list of any kind: edges of type E with nodes of type N. Types of
// connections embed it and add fields.
type Connection[N any, E edge[N]] struct {
	edges                []E
	hasNext, hasPrevious bool
	start, end           func() (string, error) // where to read on, if that is not at an edge
}

// NewConnection returns the connection of a page; edgeOf makes the edge of an item without copying
// it.
func NewConnection[T, N any, E edge[N]](page list.Page[T], edgeOf func(item int) E) Connection[N, E] {
	c := Connection[N, E]{edges: make([]E, len(page.Items)), hasNext: page.HasNext, hasPrevious: page.HasPrevious}
	for i := range page.Items {
		c.edges[i] = edgeOf(i)
	}
	return c
}

// Edges returns the edges.
func (c Connection[N, E]) Edges() []E { return c.edges }

// Nodes returns the nodes.
func (c Connection[N, E]) Nodes() []N {
	return MapList(c.edges, func(e *E) N { return (*e).node() })
}

// PageInfo returns the page info.
func (c Connection[N, E]) PageInfo() PageInfo {
	info := PageInfo{HasNextPage: c.hasNext, HasPreviousPage: c.hasPrevious}
	if n := len(c.edges); n > 0 {
		info.start, info.end = c.edges[0].Cursor, c.edges[n-1].Cursor
	}
	if c.start != nil {
		info.start = c.start
	}
	if c.end != nil {
		info.end = c.end
	}
	return info
}

// readsOn sets where to read on, nil at the first and the last edge, in a list by position.
func (c *Connection[N, E]) readsOn(start, end *key.Position, cursorOf CursorOf[key.Position]) {
	if start != nil {
		c.start = func() (string, error) { return cursorOf(*start) }
	}
	if end != nil {
		c.end = func() (string, error) { return cursorOf(*end) }
	}
}

// PageInfo is the schema's type PageInfo.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool

	start, end func() (string, error) // usually of the first and the last edge; nil on an empty page
}

// StartCursor returns the first edge's cursor, nil on an empty page.
func (p PageInfo) StartCursor() (*string, error) { return orNone(p.start) }

// EndCursor returns the last edge's cursor, nil on an empty page.
func (p PageInfo) EndCursor() (*string, error) { return orNone(p.end) }

func orNone(cursor func() (string, error)) (*string, error) {
	if cursor == nil {
		return nil, nil
	}
	token, err := cursor()
	return &token, err
}
