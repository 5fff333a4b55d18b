package moderation

import (
	"slices"

	"product-comments/store/errs"
	"product-comments/store/item"
)

// Verb is what a user does to a comment's state.
type Verb uint8

// The verbs.
const (
	Approve  Verb = iota // a moderator shows it
	Reject               // a moderator does not show it
	Withdraw             // its author takes it back, permanently
	Return               // it comes before a moderator again: it was edited, or reported
)

// leads are the target state of each verb, and the states in which it is allowed.
var leads = map[Verb]struct {
	to   item.State
	from []item.State
	past string
}{
	Approve:  {item.Published, []item.State{item.Pending, item.Published, item.Rejected}, "approved"},
	Reject:   {item.Rejected, []item.State{item.Pending, item.Published, item.Rejected}, "rejected"},
	Withdraw: {item.Withdrawn, []item.State{item.Pending, item.Published, item.Rejected, item.Withdrawn}, "withdrawn"},
	Return:   {item.Pending, []item.State{item.Published, item.Rejected}, "returned"},
}

// Lead returns the state that a verb leads to from another one. It returns a Conflict
// error if it may not be: what its author withdrew stays withdrawn.
func Lead(v Verb, from item.State) (item.State, error) {
	l := leads[v]
	if slices.Contains(l.from, from) {
		return l.to, nil
	}
	return from, errs.Errorf(errs.Conflict, "The comment is %s, so it cannot be %s", from, l.past)
}
