package resolvers

import (
	"context"
	"slices"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
)

// authorize returns the error for an action that the viewer may not do, nil if they may. owner is
// the owner of the comment that the action changes.
func (r *Resolver) authorize(ctx context.Context, do access.Action, owner string) error {
	switch r.may(ctx, do, owner) {
	case access.Yes:
		return nil
	case access.NeedsToken:
		return errs.Errorf(errs.Unauthenticated, "Sign in to %s%s.", actionName(do), restriction(do))
	case access.WritesOff:
		return errs.Errorf(errs.Forbidden, "Writes and orders are disabled: this server has no authentication, and other hosts can reach it")
	case access.IsOwner:
		return errs.Refuse(errs.Forbidden, "own_comment", "You may vote on other people's comments only")
	case access.NotOwner:
		if do == access.SeeOrders {
			return errs.Errorf(errs.Forbidden, "You may view your own data only; moderators and services may view any")
		}
		return errs.Errorf(errs.Forbidden, "You may change your own comments only; moderators may change any")
	default:
		return errs.Errorf(errs.Forbidden, "The role %s may not do this%s", access.From(ctx).Role, restriction(do))
	}
}

// may returns whether the viewer may do an action on a comment with an owner. Visitors vote only
// where cookies identify them.
func (r *Resolver) may(ctx context.Context, do access.Action, owner string) access.Answer {
	rules := r.Rules
	rules.AnonymousVotes = rules.AnonymousVotes && access.VisitorOf(ctx) != nil
	return rules.May(access.From(ctx), do, owner)
}

// actionName names an action in the error for anonymous viewers.
func actionName(do access.Action) string {
	switch do {
	case access.SeeOrders, access.SeeOpenOrders, access.SeeReports:
		return "see this"
	case access.Moderate:
		return "moderate"
	case access.ManageRequests:
		return "manage review requests"
	case access.ManageWebhooks:
		return "manage webhooks"
	}
	return "write"
}

// restriction returns the end of a Forbidden error's message, which names the roles that may do
// the action.
func restriction(do access.Action) string {
	switch do {
	case access.Moderate, access.DefineAttributes, access.SeeOpenOrders, access.ManageRequests, access.SeeReports:
		return ": it is for the roles moderator and service"
	case access.RecordOrders, access.DefineFamilies, access.ManageWebhooks:
		return ": it is for the role service"
	}
	return ""
}

// guard returns the check that runs once the comment is read. It refuses at once if the comment
// does not matter.
func (r *Resolver) guard(ctx context.Context, do access.Action) (store.Guard, error) {
	if r.may(ctx, do, "") != access.NotOwner {
		if err := r.authorize(ctx, do, ""); err != nil {
			return nil, err
		}
	}
	return func(owner string) error { return r.authorize(ctx, do, owner) }, nil
}

// permissions returns the viewer's permissions for a comment with an owner.
func (r *Resolver) permissions(ctx context.Context, owner string) model.May {
	return model.May{
		Update:   r.may(ctx, access.UpdateComment, owner) == access.Yes,
		Delete:   r.may(ctx, access.DeleteComment, owner) == access.Yes,
		Vote:     r.may(ctx, access.Vote, owner) == access.Yes,
		Moderate: r.may(ctx, access.Moderate, "") == access.Yes,
	}
}

// comment converts a comment that was read as a whole, and so with its owner.
func (r *Resolver) comment(ctx context.Context, c *store.Comment) model.Comment {
	return model.NewComment(c, r.permissions(ctx, c.Owner))
}

// setPermissions sets the viewer's permissions for the comments of a page, if they are selected.
// Pages do not have the owners of comments, so the ids of the viewer's comments on the product are
// read, once for all of its pages, and never for an anonymous visitor.
func (r *Resolver) setPermissions(ctx context.Context, connection *model.CommentConnection) error {
	others, own := r.permissions(ctx, ""), r.permissions(ctx, access.From(ctx).Subject)
	fields := fieldsOfComments(ctx)
	if !slices.Contains(fields, "viewerCanVote") {
		if !slices.Contains(fields, "viewerCanUpdate") && !slices.Contains(fields, "viewerCanDelete") {
			return nil
		}
		others.Vote = own.Vote
	}
	mine := func(string) bool { return false }
	if others != own {
		var err error
		if mine, err = r.written(ctx, connection); err != nil {
			return err
		}
	}
	connection.SetMay(func(c *store.Comment) model.May {
		if mine(c.ID) {
			return own
		}
		return others
	})
	return nil
}

// written returns a function that reports whether the viewer wrote a comment of the page.
func (r *Resolver) written(ctx context.Context, connection *model.CommentConnection) (func(id string) bool, error) {
	wrote, err := loadersOf(ctx).wroteOn(ctx, connection.Filter.Products())
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(wrote, func(on store.Wrote) bool { return on.More }) {
		return func(id string) bool {
			return slices.ContainsFunc(wrote, func(on store.Wrote) bool { return on.Has(id) })
		}, nil
	}
	// The user wrote more comments than are read at once, so read the owners.
	ids, owned := connection.IDs(), map[string]bool{}
	at := loadersOf(ctx).comments(ctx, ids)
	for i, id := range ids {
		c, err := at(i)
		if err != nil {
			return nil, err
		}
		owned[id] = c != nil && access.Owns(access.From(ctx), c.Owner)
	}
	return func(id string) bool { return owned[id] }, nil
}
