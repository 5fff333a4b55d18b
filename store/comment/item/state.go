package item

import (
	"slices"

	"product-comments/store/table"
)

// State is whether a comment is shown. The zero value is Published. Only published comments
// have index keys. For derived data every other comment does not exist.
type State uint8

// The states.
const (
	Published State = iota
	Pending         // a moderator has yet to look
	Rejected        // by a moderator
	Withdrawn       // by its author
	States          // the number of states of a comment
	// Removed is the state of the tombstone of a comment that the shop deleted; see Deleted.
	Removed = States
)

var stateNames = [States + 1]string{"PUBLISHED", "PENDING", "REJECTED", "WITHDRAWN", "REMOVED"}

// String returns the state's name, which keys contain.
func (s State) String() string { return stateNames[s] }

// ParseState returns the state with a name; ok is false if there is none.
func ParseState(name string) (s State, ok bool) {
	i := slices.Index(stateNames[:], name)
	return State(max(i, 0)), i >= 0
}

// IsHidden reports whether an item is an unpublished comment or a tombstone.
func IsHidden(it table.Item) bool { return IsDeleted(it) || table.Text(it, AttrState) != "" }

// OnlyPublished is the condition that the item is a published comment.
const OnlyPublished = NotDeleted + " AND attribute_not_exists(" + AttrState + ")"

// OrHidden returns the comment, or nil if it is not published, as derived data sees it.
func (c *Stored) OrHidden() *Stored {
	if c == nil || c.State != Published {
		return nil
	}
	return c
}
