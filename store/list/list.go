// Package list says how a client walks through any ordered list: which part
// it wants (Window), in which direction that is read (Range), and what it is
// shown of what was read (Page). Nothing in it knows what is listed.
//
// A list has one order, in which its index is read by sort key: descending, such as
// the newest comment first or the product with the most fives first, unless the list
// is an ascending one. A page always has that order, also when it was read from its
// end.
package list

import (
	"slices"

	"product-comments/store/key"
)

// Window is the part of a list that a client wants to see, as the arguments
// first, after, last and before of a connection name it.
type Window[P key.Place] struct {
	Limit    int  // items at most; 0 only asks whether there are any
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

// Range is a part of a list in the direction in which it is read. Both ends
// are exclusive, nil is open.
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

// Page is what a client is shown of a window, in the list's order.
type Page[T any] struct {
	Items []T
	// HasNext is exact for a window that was read forward, HasPrevious for one
	// read backward. The other one reports whether the window has an end at that
	// side (Relay's specification allows both).
	HasNext, HasPrevious bool
}

// PageOf makes the page of a window from the items that were read of its range:
// in reading order, and one more than the window's limit if there are as many.
// It takes over the slice.
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

// Map returns a page with what a function makes of its items.
func Map[T, U any](p Page[T], of func(*T) U) Page[U] {
	out := Page[U]{Items: make([]U, len(p.Items)), HasNext: p.HasNext, HasPrevious: p.HasPrevious}
	for i := range p.Items {
		out.Items[i] = of(&p.Items[i])
	}
	return out
}
