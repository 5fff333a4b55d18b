package key

import "fmt"

// PageStart is where a page of a list begins, counted from the list's start: what is there
// is known when it is read.
type PageStart struct {
	Offset int // comments before it
	Length int // of the page
}

var _ Place = PageStart{}

// SortKey spells the offset so that it sorts as a number.
func (s PageStart) SortKey() string { return fmt.Sprintf("%019d", s.Offset) }
