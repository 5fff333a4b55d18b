package plan

import (
	"strconv"
	"strings"

	"product-comments/store/key"
)

// Order is the order of a list of comments. The zero value is newest first. Comments
// that it does not tell apart come by time: newest first, in ascending orders oldest
// first. Comments without the attribute come last in both directions, by time.
type Order struct {
	Field     Field
	Attribute string // of ByAttribute: its key
	Ascending bool
	// Sorting names what the order of the attribute's values follows from: a list whose
	// choices have another order is another list.
	Sorting string
}

// Field is what comments are ordered by.
type Field uint8

// What comments can be ordered by. ByHelpful is how helpful they were found, see
// ranking.LowerBound.
const (
	ByTime Field = iota
	ByRating
	ByHelpful
	ByAttribute
)

// fields spell them.
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

// Column is the name of the column that the list is ordered by; empty for other lists.
func (o Order) Column() string {
	if o.Field == ByHelpful {
		return key.Helpful
	}
	return o.Attribute
}

// SegmentOf returns the segment of a list by rating that a comment with a rating lies
// in; 0 for other lists.
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

// SegmentOfValue returns the segment of a list by column that comments with a value
// lie in, or comments without one. Comments without votes sort as zero.
func (o Order) SegmentOfValue(has bool) int {
	if has != (o.Field == ByHelpful && o.Ascending) {
		return 0
	}
	return 1
}

// inTurn spells what is read one segment after the other.
func inTurn(what string, o Order) string {
	return strings.TrimPrefix(what+", "+o.String(), ", ")
}
