package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/store"
	"product-comments/store/errs"
)

// may returns the error that says why the viewer may not do something, nil if
// they may. The owner is that of the comment that it is done to.
func (r *Resolver) may(ctx context.Context, do access.Action, owner string) error {
	viewer, rules := access.From(ctx), r.Rules
	rules.AnonymousVotes = rules.AnonymousVotes && access.VisitorOf(ctx) != nil
	switch rules.May(viewer, do, owner) {
	case access.Yes:
		return nil
	case access.NeedsToken:
		return errs.Errorf(errs.Unauthenticated, "Sign in to %s%s.", what(do), forWhom(do))
	case access.WritesOff:
		return errs.Errorf(errs.Forbidden, "This server knows nobody, so it refuses writes, and shows nobody's orders")
	case access.NotOwner:
		if do == access.SeeOrders {
			return errs.Errorf(errs.Forbidden, "This is about somebody else: they and staff may see it")
		}
		return errs.Errorf(errs.Forbidden, "The comment is not yours: its author and moderators may change it")
	default:
		return errs.Errorf(errs.Forbidden, "The role %s does not allow this%s", viewer.Role, forWhom(do))
	}
}

// what names an action for those who must sign in first.
func what(do access.Action) string {
	switch do {
	case access.SeeOrders, access.SeeOpenOrders:
		return "see this"
	case access.Moderate:
		return "moderate"
	}
	return "write"
}

// forWhom ends a refusal of what is not for everybody who is known: it says whose it is.
func forWhom(do access.Action) string {
	switch do {
	case access.Moderate, access.DefineAttributes, access.SeeOpenOrders:
		return ": it is for the roles moderator and service"
	case access.RecordOrders:
		return ": it is for the role service"
	}
	return ""
}

// guard returns what decides about the comment that an action is done to, when it
// has been read. What is decided without the comment is refused at once.
func (r *Resolver) guard(ctx context.Context, do access.Action) (store.Guard, error) {
	if r.Rules.May(access.From(ctx), do, "") != access.NotOwner {
		if err := r.may(ctx, do, ""); err != nil {
			return nil, err
		}
	}
	return func(owner string) error { return r.may(ctx, do, owner) }, nil
}
