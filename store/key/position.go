package key

import (
	"cmp"
	"strings"
	"time"
)

// timeForm is the creation time as 14 digits, to the second in UTC; nine more
// digits of nanoseconds follow, since Go's layouts want a dot before them.
const timeForm = "20060102150405"

const timeDigits = len(timeForm) + 9

// Position is a place in a list of comments. In most lists that is one in the order
// of GSISK: newest last in ascending order, then by comment id. It is what a cursor
// carries.
type Position struct {
	CreatedAt time.Time // UTC; years 1 to 9999
	CommentID string
	// Value stands before the time in the sort keys of a list by value: bytes whose
	// order is that of the values. Empty in lists that are ordered by time alone.
	Value string
	// Segment is the stretch of the list that it lies in, counted from the list's
	// start, where a list has several, each with an order of sort keys of its own.
	Segment int
}

// SortKey spells the position as a sort key: as a GSISK value if it has no value of
// its own before that. Fixed-width digits compare as strings the way times compare.
func (p Position) SortKey() string {
	at := p.CreatedAt.UTC()
	b := make([]byte, 0, len(p.Value)+timeDigits+1+len(p.CommentID))
	b = append(b, p.Value...)
	b = at.AppendFormat(b, timeForm)
	ns := at.Nanosecond()
	for div := 100_000_000; div > 0; div /= 10 {
		b = append(b, byte('0'+ns/div%10))
	}
	b = append(b, '#')
	return string(append(b, escape(p.CommentID)...))
}

// ParseSortKey is the inverse of SortKey; ok is false for any other string.
func ParseSortKey(s string) (p Position, ok bool) {
	if len(s) <= timeDigits || s[timeDigits] != '#' {
		return Position{}, false
	}
	at, err := time.Parse(timeForm, s[:len(timeForm)]+"."+s[len(timeForm):timeDigits])
	id, ok := unescape(s[timeDigits+1:])
	if err != nil || !ok {
		return Position{}, false
	}
	return Position{CreatedAt: at, CommentID: id}, true
}

// Compare orders positions without a value as their sort keys.
func (p Position) Compare(o Position) int {
	return cmp.Or(p.CreatedAt.Compare(o.CreatedAt), strings.Compare(escape(p.CommentID), escape(o.CommentID)))
}
