package model

import (
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/stats"
)

// Numbers are what page numbers say of a page, as of a moment.
type Numbers struct {
	Offset *int // comments before it; nil if it is not in the list
	Count  int  // of the list's comments
	// Counts are those of all comments of the filter's times.
	Counts stats.ByLanguage
	Length int // of a page
	// CursorOf makes the cursor of a page.
	CursorOf CursorOf[key.PageStart]
	// Err is why they could not be read; the rest is zero then.
	Err error
}

// PageCursors are the numbers of a list's pages.
type PageCursors struct {
	First    PageCursor
	Previous *PageCursor
	Around   []PageCursor
	Next     *PageCursor
	Last     PageCursor
}

// PageCursor is a page by its number.
type PageCursor struct {
	Page      int
	IsCurrent bool

	start    key.PageStart
	cursorOf CursorOf[key.PageStart]
}

// Cursor returns the token for after.
func (p PageCursor) Cursor() (string, error) { return p.cursorOf(p.start) }

// Offset returns how many comments of the list are before the page; nil if that is not
// known.
func (c *CommentConnection) Offset() (*int, error) {
	if c.Numbers == nil {
		return nil, nil
	}
	return c.Numbers.Offset, c.Numbers.Err
}

// Bounds of the argument size of pageCursors.
const (
	someCursors    = 5
	maxPageCursors = 20
)

// PageCursors returns the numbers of the pages around this one; nil if they are not known.
func (c *CommentConnection) PageCursors(size *int) (*PageCursors, error) {
	some := someCursors
	if size != nil {
		some = *size
	}
	if bound := min(max(some, 1), maxPageCursors); bound != some {
		return nil, errs.Invalid("size", "%d is not from 1 to %d", some, maxPageCursors).For(errs.OutOfRange).Past(some, bound)
	}
	n := c.Numbers
	if n == nil || n.Err != nil || n.Offset == nil || n.Length == 0 {
		if n != nil {
			return nil, n.Err
		}
		return nil, nil
	}
	return n.pageCursors(some), nil
}

func (n *Numbers) pageCursors(some int) *PageCursors {
	last := max(1, (n.Count+n.Length-1)/n.Length)
	current := last + 1 // beyond the last page
	if *n.Offset < n.Count || *n.Offset == 0 {
		current = *n.Offset/n.Length + 1
	}
	page := func(number int) PageCursor {
		return PageCursor{Page: number, IsCurrent: number == current, start: key.PageStart{Offset: (number - 1) * n.Length, Length: n.Length}, cursorOf: n.CursorOf}
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
	return out
}
