// Package list describes how a client walks through an ordered list of any items: a client asks
// for a Window, the service reads a Range in one direction, and the client gets a Page.
//
// A list has one order by sort key: descending, such as the newest comment first or the product
// with the most fives first, unless the list is ascending. A page always has that order, also
// if it was read from its end.
package list

import (
	"slices"

	"product-comments/store/key"
)

// Window is the request for a page: the arguments first, after, last and before of a connection.
type Window[P key.Place] struct {
	Limit    int  // most items; 0 only asks whether there are any
	Backward bool // take the last items of the window instead of the first
	// Ascending is the list's own direction: its first item has the least sort key.
	Ascending bool
	// Both ends are exclusive, nil is open. No item needs to be at either.
	After, Before *P
}

// Range returns the window as it is read: from its end if it is backward.
func (w Window[P]) Range() Range[P] {
	r := Range[P]{After: w.After, Until: w.Before, Descending: w.Backward == w.Ascending, Backward: w.Backward}
	if w.Backward {
		r.After, r.Until = w.Before, w.After
	}
	return r
}

// Range is the range of positions that a scan reads, with its direction. Both ends are
// exclusive, nil is open.
type Range[P key.Place] struct {
	After      *P   // where reading starts
	Until      *P   // where it stops
	Descending bool // by sort key
	Backward   bool // against the list's own order
}

// Empty reports whether nothing can lie between the ends.
func (r Range[P]) Empty() bool {
	if r.After == nil || r.Until == nil {
		return false
	}
	c := key.Compare(*r.After, *r.Until)
	return c == 0 || (c < 0) == r.Descending
}

// Page is the answer to a window: its items in the list's order.
type Page[T any] struct {
	Items []T
	// HasNext is exact for a window that was read forward, HasPrevious for a window that was
	// read backward. The other one reports whether the window has an end at that side (Relay's
	// specification allows both).
	HasNext, HasPrevious bool
	// Start and End are where to read on if that is not at the first and the last item; nil
	// otherwise. A list that is checked item by item has them where it stopped before its page
	// was full.
	Start, End *key.Position
}

// PageOf returns the page of a window, given the first items of its range in reading order: one
// more than the window's limit, or all if there are fewer. It takes over the slice.
func PageOf[T any, P key.Place](w Window[P], read []T) Page[T] {
	more := len(read) > w.Limit
	p := Page[T]{Items: read[:min(len(read), w.Limit)], HasNext: w.Before != nil, HasPrevious: w.After != nil}
	if w.Backward {
		slices.Reverse(p.Items)
		p.HasPrevious = p.HasPrevious || more
	} else {
		p.HasNext = p.HasNext || more
	}
	return p
}

// Map returns a page with each item converted by a function.
func Map[T, U any](p Page[T], of func(*T) U) Page[U] {
	out := Page[U]{make([]U, len(p.Items)), p.HasNext, p.HasPrevious, p.Start, p.End}
	for i := range p.Items {
		out.Items[i] = of(&p.Items[i])
	}
	return out
}
