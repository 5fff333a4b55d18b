package access

// Action is something that a viewer may be allowed to do.
type Action int

// The actions. Reading needs none: reads are open.
const (
	CreateComment    Action = iota
	UpdateComment           // needs the comment's owner
	DeleteComment           // needs the comment's owner
	Vote                    // as a user, or as a visitor who is identified by a cookie
	WithdrawComment         // needs the comment's owner
	ReportComment           // as a user
	Moderate                // see the queue and what it is about, decide, reply
	DefineAttributes        // of products and groups of products
	SeeOrders               // needs whose they are instead of an owner
	SeeOpenOrders           // those of all people
	RecordOrders            // and how far they are
	SeePlans                // how pages are read, which shows the table's layout
)

// Answer is what the rules say to an action.
type Answer int

// The answers. The zero value allows nothing.
const (
	No         Answer = iota // this viewer may not, whatever token they bring
	NeedsToken               // an anonymous visitor may not; an authenticated user might
	NotOwner                 // the comment is another user's, or without an owner
	WritesOff                // authentication is not configured, so writes are disabled
	Yes
)

// Writes says how the writers of a server are known.
type Writes int

// The ways to write.
const (
	ByToken   Writes = iota // with a token of the right role
	ByAnybody               // also anonymously: a server without authentication on a developer's machine
	ByNobody                // not at all: a server without authentication that others can reach
)

// Rules are what a server allows.
type Rules struct {
	Writes Writes
	Plans  bool // whether clients may see how pages are read
	// AnonymousVotes lets visitors without a token vote.
	AnonymousVotes bool
}

// May answers whether the viewer may do something. The owner is the subject of
// the comment that it is done to, empty if it has none or there is no comment.
func (r Rules) May(v Viewer, do Action, owner string) Answer {
	if do == SeePlans {
		return yes(r.Plans, No)
	}
	if do == Vote && v.Subject == "" && r.AnonymousVotes {
		return Yes
	}
	switch {
	case (do == Vote || do == ReportComment) && v.Subject == "" && r.Writes == ByAnybody: // of whom nobody could tell two votes apart
		return NeedsToken
	case r.Writes == ByNobody:
		return WritesOff
	case r.Writes == ByAnybody:
		return Yes
	case v.Role == Anonymous:
		return NeedsToken
	}
	switch do {
	case CreateComment, Vote, ReportComment:
		return Yes
	case DefineAttributes, Moderate, SeeOpenOrders:
		return yes(IsStaff(v), No)
	case WithdrawComment:
		return yes(Owns(v, owner), NotOwner)
	case RecordOrders:
		return yes(v.Role == Service, No)
	case SeeOrders:
		return yes(IsStaff(v) || Owns(v, owner), NotOwner)
	case UpdateComment, DeleteComment:
		switch v.Role {
		case Moderator:
			return Yes
		case Author:
			return yes(Owns(v, owner), NotOwner)
		}
	}
	return No
}

// IsStaff reports whether the viewer is the shop's: a moderator, or a program.
func IsStaff(v Viewer) bool { return v.Role == Moderator || v.Role == Service }

// Sees reports whether the viewer sees a comment of an owner that is not published: their
// own, or any as a moderator.
func (r Rules) Sees(v Viewer, owner string) bool {
	return Owns(v, owner) || r.May(v, Moderate, "") == Yes
}

// OwnerOf returns the owner of a comment that the viewer creates: empty for none,
// for what a service creates as an import does, and for what is created
// anonymously.
func OwnerOf(v Viewer) string {
	if v.Role == Service {
		return ""
	}
	return v.Subject
}

// Owns reports whether a comment of an owner is the viewer's own. A comment
// without an owner has none.
func Owns(v Viewer, owner string) bool { return owner != "" && v.Subject == owner }

func yes(allowed bool, otherwise Answer) Answer {
	if allowed {
		return Yes
	}
	return otherwise
}
