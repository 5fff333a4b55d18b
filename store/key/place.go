package key

import "strings"

// Place is a place in the order of a list: that of an item of some index, which
// need not exist (any more). Every list's order is total, so a place stands for
// exactly one point in it.
type Place interface {
	// SortKey spells the place as a value of the index's sort key.
	SortKey() string
}

var (
	_ Place = Position{}
	_ Place = Rank{}
)

// Compare orders places of one list as DynamoDB orders their sort keys.
func Compare[P Place](a, b P) int { return strings.Compare(a.SortKey(), b.SortKey()) }
