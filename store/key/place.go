package key

import "strings"

// Place is a place in the order of a list: the sort key of an item, which need not exist any
// more. The order of every list is total, so a place is unique.
type Place interface {
	// SortKey returns the place as a value of the index's sort key.
	SortKey() string
}

var (
	_ Place = Position{}
	_ Place = Rank{}
)

// Compare compares places of one list in DynamoDB's order of sort keys.
func Compare[P Place](a, b P) int { return strings.Compare(a.SortKey(), b.SortKey()) }
