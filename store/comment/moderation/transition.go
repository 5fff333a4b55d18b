package moderation

import (
	"slices"

	"product-comments/store/comment/item"
	"product-comments/store/errs"
)

// Verb is an action of a user that changes a comment's state.
type Verb uint8

// The verbs.
const (
	Approve  Verb = iota // a moderator publishes the comment
	Reject               // a moderator refuses the comment
	Withdraw             // the author takes the comment back, permanently
	Return               // an edit or reports send the comment to a moderator again
)

// transitions are the target state of each verb, and the states in which it is allowed.
var transitions = map[Verb]struct {
	to   item.State
	from []item.State
	past string
}{
	Approve:  {item.Published, []item.State{item.Pending, item.Published, item.Rejected}, "approved"},
	Reject:   {item.Rejected, []item.State{item.Pending, item.Published, item.Rejected}, "rejected"},
	Withdraw: {item.Withdrawn, []item.State{item.Pending, item.Published, item.Rejected, item.Withdrawn}, "withdrawn"},
	Return:   {item.Pending, []item.State{item.Published, item.Rejected}, "returned"},
}

// Transition returns the state after a verb. It returns a Conflict error if the verb is not allowed
// in state from, such as for a withdrawn comment.
func Transition(v Verb, from item.State) (item.State, error) {
	l := transitions[v]
	if slices.Contains(l.from, from) {
		return l.to, nil
	}
	return from, errs.Errorf(errs.Conflict, "The comment is %s, so it cannot be %s", from, l.past)
}
