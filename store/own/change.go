package own

import (
	"product-comments/store/stats"
	"product-comments/store/summary"
)

// Change is what a write does to a comment. Before and After are nil where there
// was none.
type Change struct {
	CommentID     string
	Made          bool // it made the comment: otherwise there was one without Before that nobody was shown
	Before, After *stats.Counted
	Undefined     bool // the comment was left without definitions, so columns have no entries of it
	Values        []Value
}

// Value is one of an attribute, which a write takes away from statistics or adds to
// them. What a comment has before and after the write is none.
type Value struct {
	Language  string // of the comments that they are of; empty for those in any
	Attribute string
	summary.Value
	Taken bool // away
}

// counts tells whether the write changes any statistics.
func (c Change) counts() bool {
	return len(c.Values) > 0 || len(Effects(c.Before, c.After, 0)) > 0
}

// generation is that of statistics from which on the write counts. A write leaves the
// comment's as it was.
func (c Change) generation() int {
	switch {
	case c.After != nil:
		return c.After.Generation
	case c.Before != nil:
		return c.Before.Generation
	}
	return 0
}

// Effects returns the scopes whose counts a change of a comment changes in a
// generation of statistics, and how.
func Effects(before, after *stats.Counted, generation int) stats.Deltas {
	d := stats.Deltas{}
	d.Change(before, after, generation)
	d.PruneSizes()
	return d
}
