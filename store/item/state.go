package item

import "product-comments/store/table"

// State is whether a comment is shown. The zero value is Published.
//
// Only published comments have index keys. Whatever is derived from comments takes
// every other for one that is not there.
type State uint8

// The states.
const (
	Published State = iota
	Pending         // a moderator has yet to look
	Rejected        // by a moderator
	Withdrawn       // by its author
	States          // how many there are
)

var stateNames = [States]string{"PUBLISHED", "PENDING", "REJECTED", "WITHDRAWN"}

// String returns the name, by which keys have it.
func (s State) String() string { return stateNames[s] }

// ParseState returns the state with a name; ok is false if there is none.
func ParseState(name string) (s State, ok bool) {
	for s := range States {
		if stateNames[s] == name {
			return s, true
		}
	}
	return Published, false
}

// IsHidden reports whether an item of a comment is not to be shown to everybody: the
// comment is not published, or this is what a deleted one left behind.
func IsHidden(it table.Item) bool { return IsDeleted(it) || table.Text(it, AttrState) != "" }

// OnlyPublished is the condition that there is a comment that everybody may see.
const OnlyPublished = NotDeleted + " AND attribute_not_exists(" + AttrState + ")"

// OrHidden returns a comment as what is derived from comments sees it: nil if it is not
// published.
func (c *Stored) OrHidden() *Stored {
	if c == nil || c.State != Published {
		return nil
	}
	return c
}
