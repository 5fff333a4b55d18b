package plan

import (
	"strconv"
	"strings"
)

// Order is the order of a list of comments. The zero value is newest first. Comments
// that it does not tell apart come by time: newest first, in ascending orders oldest
// first.
type Order struct {
	Field     Field
	Ascending bool
}

// Field is what comments are ordered by.
type Field uint8

// What comments can be ordered by.
const (
	ByTime Field = iota
	ByRating
)

// fields spell them.
var fields = map[Field]string{ByTime: "time", ByRating: "rating"}

// scope spells the order in a filter's scope. Cursors are bound to it.
func (o Order) scope() string {
	direction := "d"
	if o.Ascending {
		direction = "a"
	}
	return strconv.Itoa(int(o.Field)) + direction
}

// String spells the order, such as "by rating, descending".
func (o Order) String() string {
	direction := ", descending"
	if o.Ascending {
		direction = ", ascending"
	}
	return "by " + fields[o.Field] + direction
}

// SegmentOf returns the stretch of the list that a comment with a rating lies in.
func (o Order) SegmentOf(rating int) int {
	switch {
	case o.Field != ByRating:
		return 0
	case o.Ascending:
		return rating - 1
	}
	return 5 - rating
}

// Default tells whether it is the order of a list that was asked for without one.
func (o Order) Default() bool { return o == Order{} }

// inTurn spells what is read one stretch after the other.
func inTurn(what string, o Order) string {
	return strings.TrimPrefix(what+", "+o.String(), ", ")
}
