package model

import (
	"product-comments/store/key"
	"product-comments/store/list"
)

// CursorOf makes the cursor of a place in one list. Cursors are made when a
// query asks for them, not before: each is sealed.
type CursorOf[P key.Place] func(P) (string, error)

// Edge is an object's place in a list of any kind.
type Edge[N any, P key.Place] struct {
	Node N

	place    P
	cursorOf CursorOf[P]
}

// NewEdge returns the edge of an object at a place of the list that cursorOf
// belongs to.
func NewEdge[N any, P key.Place](node N, place P, cursorOf CursorOf[P]) Edge[N, P] {
	return Edge[N, P]{Node: node, place: place, cursorOf: cursorOf}
}

// Cursor returns the token for after and before.
func (e Edge[N, P]) Cursor() (string, error) { return e.cursorOf(e.place) }

func (e Edge[N, P]) node() N { return e.Node }

// edge is what every list has of its own: a type with an Edge embedded, and with
// the fields that only its edges have.
type edge[N any] interface {
	Cursor() (string, error)
	node() N
}

// Connection is a page of a list of any kind: its edges of type E, which lead to
// objects of type N. A type of its own has it embedded, besides the fields that
// only its connection has.
type Connection[N any, E edge[N]] struct {
	edges                []E
	hasNext, hasPrevious bool
}

// NewConnection returns the connection of a page; edgeOf makes the edge of an
// item, which stays where it is.
func NewConnection[T, N any, E edge[N]](page list.Page[T], edgeOf func(item int) E) Connection[N, E] {
	c := Connection[N, E]{edges: make([]E, len(page.Items)), hasNext: page.HasNext, hasPrevious: page.HasPrevious}
	for i := range page.Items {
		c.edges[i] = edgeOf(i)
	}
	return c
}

// Edges returns the objects with their cursors.
func (c Connection[N, E]) Edges() []E { return c.edges }

// Nodes returns the objects alone.
func (c Connection[N, E]) Nodes() []N {
	return mapList(c.edges, func(e *E) N { return (*e).node() })
}

// PageInfo reports whether there is more, and where.
func (c Connection[N, E]) PageInfo() PageInfo {
	info := PageInfo{HasNextPage: c.hasNext, HasPreviousPage: c.hasPrevious}
	if n := len(c.edges); n > 0 {
		info.start, info.end = c.edges[0].Cursor, c.edges[n-1].Cursor
	}
	return info
}

// PageInfo tells where a page lies in its list.
type PageInfo struct {
	HasNextPage, HasPreviousPage bool

	start, end func() (string, error) // of the first and the last edge; nil on an empty page
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
