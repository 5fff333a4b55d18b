package sheet

import "strings"

// Row follows a row byte by byte, to find its cells and its end: the first line break where it is
// not Open. Quotation marks count at the start of a cell only, so a stray one affects its own line
// only.
type Row struct {
	Commas string // the cell separators; without any, quotation marks have no meaning

	state      rowState
	separators int
	broken     bool // text follows a closing quotation mark
	size       int  // bytes
	opened     int  // offset of the quotation mark that begins the last quoted cell
}

type rowState byte

const (
	begins rowState = iota // at the start of a cell
	plain
	quoted
	closing // a quotation mark that ends a cell, or the first of two
)

// Add adds the next byte.
func (r *Row) Add(b byte) {
	switch {
	case r.Commas == "":
	case b == '"' && r.state == begins:
		r.state = quoted
		if !r.broken {
			r.opened = r.size
		}
	case b == '"' && r.state == closing:
		r.state = quoted
	case b == '"' && r.state == quoted:
		r.state = closing
	case r.state == quoted:
	case strings.IndexByte(r.Commas, b) >= 0:
		r.state = begins
		r.separators++
	default:
		r.broken = r.broken || r.state == closing
		r.state = plain
	}
	r.size++
}

// Open reports whether the row is within quotation marks, so that a line break is text.
func (r *Row) Open() bool { return r.state == quoted }

// Is reports whether the row so far has a number of cells and no misplaced quotation mark.
func (r *Row) Is(cells int) bool { return r.separators+1 == cells && !r.broken }

// May reports whether a row with a number of cells can begin so.
func (r *Row) May(cells int) bool { return r.separators < cells && !r.broken }
