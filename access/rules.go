package access

// Action is something that a viewer may be allowed to do.
type Action int

// The actions. Reading published comments needs none.
const (
	CreateComment    Action = iota
	SetIncentive            // of a new comment
	UpdateComment           // needs the comment's owner
	DeleteComment           // needs the comment's owner
	Vote                    // as a user, or as a visitor who is identified by a cookie; needs the comment's owner
	WithdrawComment         // needs the comment's owner
	ReportComment           // as a user
	Moderate                // view the queue and its comments, decide, reply
	DefineAttributes        // of products and groups of products
	SeeOrders               // the owner is the user of the orders
	SeeOpenOrders           // of all users
	RecordOrders            // and their statuses
	ManageRequests          // see and change the review requests of all orders
	DefineFamilies          // of products
	ManageWebhooks          // see and change where events are sent
	SeeReports              // what moderators made of comments, in counts
	SeePlans                // plans show the table's layout
)

// Answer is the result of checking an action.
type Answer int

// The answers. The zero value allows nothing.
const (
	No         Answer = iota // this viewer may not, whatever token they bring
	NeedsToken               // anonymous visitors may not; an authenticated user might
	NotOwner                 // the comment is another user's, or without an owner
	IsOwner                  // the comment is the viewer's own
	WritesOff                // authentication is not configured, so writes are disabled
	Yes
)

// Writes configures who may write.
type Writes int

// The values of Writes.
const (
	ByToken    Writes = iota // with a token of the right role
	ByEveryone               // also anonymously: a server without authentication on a developer's machine
	ByNone                   // not at all: a server without authentication that others can reach
)

// Rules are a server's permissions.
type Rules struct {
	Writes Writes
	Plans  bool // whether clients may see plans
	// AnonymousVotes lets visitors without a token vote.
	AnonymousVotes bool
	// Notices lets visitors without a token report comments.
	Notices bool
	// PublicReports lets everyone see reports of moderation.
	PublicReports bool
}

// May returns whether the viewer may do an action on a comment with this owner. owner is empty if
// the comment has no owner, or if the action concerns no comment.
func (r Rules) May(v Viewer, do Action, owner string) Answer {
	if do == SeePlans {
		return yesIf(r.Plans, No)
	}
	if do == SeeReports && r.PublicReports {
		return Yes
	}
	if do == ReportComment && v.Subject == "" && r.Notices {
		return Yes
	}
	if do == Vote && v.Subject == "" && r.AnonymousVotes {
		return Yes
	}
	switch {
	case (do == Vote || do == ReportComment) && v.Subject == "" && r.Writes == ByEveryone: // votes and reports need a user to attribute them to
		return NeedsToken
	case r.Writes == ByNone:
		return WritesOff
	case do == Vote && Owns(v, owner):
		return IsOwner
	case r.Writes == ByEveryone:
		return Yes
	case v.Role == Anonymous:
		return NeedsToken
	}
	switch do {
	case CreateComment, Vote, ReportComment:
		return Yes
	case DefineAttributes, Moderate, SeeOpenOrders, ManageRequests, SeeReports:
		return yesIf(IsStaff(v), No)
	case WithdrawComment:
		return yesIf(Owns(v, owner), NotOwner)
	case RecordOrders, DefineFamilies, ManageWebhooks, SetIncentive:
		return yesIf(v.Role == Service, No)
	case SeeOrders:
		return yesIf(IsStaff(v) || Owns(v, owner), NotOwner)
	case UpdateComment, DeleteComment:
		switch v.Role {
		case Moderator:
			return Yes
		case Author:
			return yesIf(Owns(v, owner), NotOwner)
		}
	}
	return No
}

// IsStaff reports whether the viewer is a moderator or a service.
func IsStaff(v Viewer) bool { return v.Role == Moderator || v.Role == Service }

// CanSee reports whether the viewer may see an unpublished comment with this owner. Authors see
// their own, moderators all.
func (r Rules) CanSee(v Viewer, owner string) bool {
	return Owns(v, owner) || r.May(v, Moderate, "") == Yes
}

// OwnerOf returns the owner of a comment that the viewer creates; empty for services and anonymous
// visitors.
func OwnerOf(v Viewer) string {
	if v.Role == Service {
		return ""
	}
	return v.Subject
}

// Owns reports whether the viewer is the owner. It is false without an owner.
func Owns(v Viewer, owner string) bool { return owner != "" && v.Subject == owner }

func yesIf(allowed bool, otherwise Answer) Answer {
	if allowed {
		return Yes
	}
	return otherwise
}
