package key

import "fmt"

// PageStart is the start of a page as an offset from the start of the list.
type PageStart struct {
	Offset int // comments before it
	Length int // of the page
}

var _ Place = PageStart{}

// SortKey spells the offset so that strings compare like numbers.
func (s PageStart) SortKey() string { return fmt.Sprintf("%019d", s.Offset) }
