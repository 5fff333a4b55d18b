package plan

import (
	"strconv"
	"strings"

	"product-comments/store/key"
)

// Order is the order of a list of comments. The zero value is newest first. Comments that are
// equal in the order follow by time: newest first, or oldest first in ascending orders.
// Comments without the attribute are last in both directions, by time.
type Order struct {
	Field     Field
	Attribute string // of ByAttribute: its key
	Ascending bool
	// Sorting identifies the order of the attribute's values. A list in which choices have
	// another order is a different list.
	Sorting string
}

// Field is what a list is ordered by.
type Field uint8

// What comments can be ordered by. ByHelpful is how helpful they were found, see
// ranking.LowerBound.
const (
	ByTime Field = iota
	ByRating
	ByHelpful
	ByAttribute
)

// fields are the names of the fields.
var fields = map[Field]string{ByTime: "time", ByRating: "rating", ByHelpful: "helpful", ByAttribute: "attribute"}

// scope spells the order in a filter's scope. Cursors are bound to it.
func (o Order) scope() string {
	direction := "d"
	if o.Ascending {
		direction = "a"
	}
	scope := strconv.Itoa(int(o.Field)) + direction + o.Attribute
	if o.Sorting != "" {
		scope += "\x00" + o.Sorting
	}
	return scope
}

// String spells the order, such as "by rating, descending".
func (o Order) String() string {
	what := fields[o.Field]
	if o.Field == ByAttribute {
		what += " " + strconv.Quote(o.Attribute)
	}
	if o.Ascending {
		return "by " + what + ", ascending"
	}
	return "by " + what + ", descending"
}

// ByColumn reports whether the order is that of the values of a column.
func (o Order) ByColumn() bool { return o.Field == ByHelpful || o.Field == ByAttribute }

// Column returns the name of the column that the list is ordered by, "" for other lists.
func (o Order) Column() string {
	if o.Field == ByHelpful {
		return key.Helpful
	}
	return o.Attribute
}

// SegmentOf returns the segment of a comment with a rating in a list by rating; 0 for other
// lists.
func (o Order) SegmentOf(rating int) int {
	switch {
	case o.Field != ByRating:
		return 0
	case o.Ascending:
		return rating - 1
	}
	return 5 - rating
}

// RatingOf returns the rating of the comments in a segment of a list by rating.
func (o Order) RatingOf(segment int) int {
	if o.Ascending {
		return segment + 1
	}
	return 5 - segment
}

// SegmentOfValue returns the segment of comments with a value, or of comments without one, in a
// list by column. Comments without votes sort as zero.
func (o Order) SegmentOfValue(has bool) int {
	if has != (o.Field == ByHelpful && o.Ascending) {
		return 0
	}
	return 1
}

// inTurn names the reading of one segment after the other.
func inTurn(what string, o Order) string {
	return strings.TrimPrefix(what+", "+o.String(), ", ")
}
