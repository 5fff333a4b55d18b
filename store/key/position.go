package key

import (
	"cmp"
	"strings"
	"time"
)

// timeForm is the format of the creation time in UTC: 14 digits, to the second, and nine digits of
// nanoseconds. Sort keys leave out the dot, which Go's layouts need.
const timeForm = "20060102150405.000000000"

const (
	timeDigits = len(timeForm) - 1
	dotAt      = timeDigits - 9
)

// Position is a place in a list of comments, and the content of a cursor. Most lists are in the
// order of GSISK: by creation time, then by comment id.
type Position struct {
	CreatedAt time.Time // UTC; years 1 to 9999
	CommentID string
	// Value precedes the time in the sort keys of a list by value: sortable bytes. It is empty
	// in lists by time.
	Value string
	// Range is the number of the range that contains the position, counted from the start of the
	// list, in lists with several. Each range has its own order of sort keys.
	Range int
}

// SortKey returns the position as a sort key: GSISK, after the Value if there is one.
// Fixed-width digits compare like times.
func (p Position) SortKey() string {
	b := make([]byte, 0, len(p.Value)+len(timeForm)+1+len(p.CommentID))
	b = p.CreatedAt.UTC().AppendFormat(append(b, p.Value...), timeForm)
	dot := len(b) - len(timeForm) + dotAt
	b = append(append(b[:dot], b[dot+1:]...), '#')
	return string(append(b, escape(p.CommentID)...))
}

// ParseSortKey is the inverse of SortKey; ok is false for any other string.
func ParseSortKey(s string) (p Position, ok bool) {
	if len(s) <= timeDigits || s[timeDigits] != '#' {
		return Position{}, false
	}
	at, err := time.Parse(timeForm, s[:dotAt]+"."+s[dotAt:timeDigits])
	id, ok := unescape(s[timeDigits+1:])
	if err != nil || !ok {
		return Position{}, false
	}
	return Position{CreatedAt: at, CommentID: id}, true
}

// JustBefore returns the position that precedes p in lists of the newest first: no comment is between
// them, or at it.
func (p Position) JustBefore() Position {
	return Position{CreatedAt: p.CreatedAt, CommentID: p.CommentID + "\x00"}
}

// Compare compares positions without a value in the order of their sort keys.
func (p Position) Compare(o Position) int {
	return cmp.Or(p.CreatedAt.Compare(o.CreatedAt), strings.Compare(escape(p.CommentID), escape(o.CommentID)))
}
