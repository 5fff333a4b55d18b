package model

import (
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/key"
)

// Numbers are the page numbers of a page, at one moment.
type Numbers struct {
	Offset *int // number of comments before it; nil if the page is not in the list
	Count  int  // number of comments in the list
	// Counts are the counts of all comments in the filter's range of times.
	Counts store.ByLanguage
	Length int // comments of a page
	// CursorOf makes the cursor of a page.
	CursorOf CursorOf[key.PageStart]
	// Err is the error of reading them; then the other fields are zero.
	Err error
}

// PageCursors is the schema's type PageCursors.
type PageCursors struct {
	First    PageCursor
	Previous *PageCursor
	Around   []PageCursor
	Next     *PageCursor
	Last     PageCursor
}

// PageCursor is a page with its number.
type PageCursor struct {
	Page      int
	IsCurrent bool

	start    key.PageStart
	cursorOf CursorOf[key.PageStart]
}

// Cursor returns the cursor for after.
func (p PageCursor) Cursor() (string, error) { return p.cursorOf(p.start) }

// Offset returns the number of comments before the page; nil if it is unknown.
func (c *CommentConnection) Offset() (*int, error) {
	if c.Numbers == nil {
		return nil, nil
	}
	return c.Numbers.Offset, c.Numbers.Err
}

// Limits of the argument size of pageCursors.
const (
	someCursors    = 5
	maxPageCursors = 20
)

// PageCursors returns the pages around this one; nil if they are unknown.
func (c *CommentConnection) PageCursors(size *int) (*PageCursors, error) {
	some := someCursors
	if size != nil {
		some = *size
	}
	if bound := min(max(some, 1), maxPageCursors); bound != some {
		return nil, errs.Invalid("size", "%d is not from 1 to %d", some, maxPageCursors).For(errs.OutOfRange).Past(some, bound)
	}
	n := c.Numbers
	if n == nil {
		return nil, nil
	}
	if n.Err != nil || n.Offset == nil || n.Length == 0 {
		return nil, n.Err
	}
	last := max(1, (n.Count+n.Length-1)/n.Length)
	current := last + 1 // after the last page
	if *n.Offset < n.Count || *n.Offset == 0 {
		current = *n.Offset/n.Length + 1
	}
	page := func(number int) PageCursor {
		return PageCursor{Page: number, IsCurrent: number == current,
			start: key.PageStart{Offset: (number - 1) * n.Length, Length: n.Length}, cursorOf: n.CursorOf}
	}
	out := &PageCursors{First: page(1), Last: page(last), Around: []PageCursor{}}
	if current > 1 {
		out.Previous = new(page(current - 1))
	}
	if current < last {
		out.Next = new(page(current + 1))
	}
	from := max(1, min(current-some/2, last-some+1))
	for number := from; number < from+some && number <= last; number++ {
		out.Around = append(out.Around, page(number))
	}
	return out, nil
}
