package resolvers

import (
	"context"
	"errors"
	"time"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/errs"
	"product-comments/store/key/invitations"
	"product-comments/store/orders"
)

// Guesses is a client's budget for tokens that are wrong. Failures returns an error for a client that
// has used it up.
type Guesses interface {
	Failures(context.Context) error
	Failed(context.Context)
}

// Invitation resolves Query.invitation.
func (r query) Invitation(ctx context.Context, token string) (*model.Invitation, error) {
	return r.invited(ctx, "token", token)
}

// invited returns the invitation of a token, if it is valid and its order still has the same user.
func (r *Resolver) invited(ctx context.Context, field, token string) (*model.Invitation, error) {
	if err := r.Guesses.Failures(ctx); err != nil {
		return nil, err
	}
	i, err := r.Invitations.Open(token, time.Now())
	switch {
	case errors.Is(err, invitations.ErrExpired):
		return nil, errs.Invalid(field, "the invitation was valid until %s: ask the shop for another one",
			i.Expires.Format(time.RFC3339)).For(errs.Expired)
	case err != nil:
		r.Guesses.Failed(ctx)
		return nil, errs.Invalid(field, "it is no invitation of this service, or damaged: open the link again as the shop sent it").
			For(errs.NotAnInvitation)
	}
	order, err := r.Store.Orders().Get(ctx, i.OrderID)
	if err == nil && order.Username != i.Subject {
		err = orders.NotFound(i.OrderID) // the user was erased
	}
	return &model.Invitation{Invitation: i, Token: token, URL: r.writeURL(token), Order: order}, err
}

// writeURL returns the address of the page of an invitation, nil if it is unknown.
func (r *Resolver) writeURL(token string) *string {
	if r.Address == "" {
		return nil
	}
	return new(r.Address + invitations.Path + token)
}

// invitedBy opens the invitation of an input; it returns nil without one.
func (r *Resolver) invitedBy(ctx context.Context, token *string) (*model.Invitation, error) {
	if isAbsent(token) {
		return nil, nil
	}
	return r.invited(ctx, "invitation", *token)
}

// actingBy returns the context of the buyer who was invited, as an author; ctx without an invitation.
// An invitation that comes with a bearer token counts alone.
func actingBy(ctx context.Context, i *model.Invitation) context.Context {
	if i == nil {
		return ctx
	}
	return access.With(ctx, access.Viewer{Subject: i.Subject, Role: access.Author})
}

// Uploader returns the subject of the person who uploads a photo for a comment, empty if they have
// none: the buyer of an invitation, or without one the viewer. It returns an error if they may not write.
func (r *Resolver) Uploader(ctx context.Context, invitation string) (string, error) {
	var token *string
	if invitation != "" {
		token = &invitation
	}
	i, err := r.invitedBy(ctx, token)
	if err != nil {
		return "", err
	}
	ctx = actingBy(ctx, i)
	return access.From(ctx).Subject, r.authorize(ctx, access.CreateComment, "")
}

// invite makes a new comment that of an invitation.
func invite(c *store.NewComment, i *model.Invitation) {
	if i != nil {
		c.InvitedUntil, c.Bought = i.Expires, i.Order.Status <= orders.Delivered
		c.Incentive = item.Incentive(i.Invitation.Incentive)
	}
}

// onlyInvited returns a guard that permits changes of the invitation's comment alone.
func (r *Resolver) onlyInvited(ctx context.Context, i *model.Invitation, id string, guard store.Guard) store.Guard {
	if i == nil {
		return guard
	}
	return func(owner string) error {
		c, err := r.Store.Invited(ctx, i.Subject, i.ProductID)
		if err == nil && (c == nil || c.ID != id) {
			err = errs.Errorf(errs.Forbidden, "This invitation permits changes of the comment that was written with it only")
		}
		if err != nil {
			return err
		}
		return guard(owner)
	}
}

// Comment resolves Invitation.comment.
func (r invitation) Comment(ctx context.Context, of *model.Invitation) (*model.Comment, error) {
	c, err := r.Store.Invited(ctx, of.Subject, of.ProductID)
	if c == nil {
		return nil, err
	}
	return new(r.comment(ctx, c)), nil
}

// Others resolves Invitation.others.
func (r invitation) Others(ctx context.Context, of *model.Invitation) ([]model.Invitation, error) {
	var products []string
	for _, p := range of.Order.Products() {
		if p != of.ProductID {
			products = append(products, p)
		}
	}
	wrote, err := r.Store.Wrote(ctx, of.Subject, products)
	if err != nil {
		return nil, err
	}
	others := []model.Invitation{}
	for n, p := range products {
		if len(wrote[n].Places) == 0 {
			other := of.Invitation
			other.ProductID = p
			i, err := r.invitationFor(other, &of.Order)
			if err != nil {
				return nil, err
			}
			others = append(others, *i)
		}
	}
	return others, nil
}

// invitationFor returns the invitation with its token.
func (r *Resolver) invitationFor(i invitations.Invitation, order *orders.Order) (*model.Invitation, error) {
	token, err := r.Invitations.Token(i)
	return &model.Invitation{Invitation: i, Token: token, URL: r.writeURL(token), Order: *order}, err
}

// longestInvitation is the most time that an invitation is valid.
const longestInvitation = 366 * 24 * time.Hour

// CreateInvitation resolves Mutation.createInvitation.
func (r mutation) CreateInvitation(ctx context.Context, in model.CreateInvitationInput) (*model.CreateInvitationPayload, error) {
	if err := r.authorize(ctx, access.RecordOrders, ""); err != nil {
		return nil, err
	}
	now := time.Now()
	expires, wrongTime := now.Add(invitations.Period), error(nil)
	if in.ExpiresAt != nil {
		expires = *in.ExpiresAt
		if !expires.After(now) || expires.After(now.Add(longestInvitation)) {
			wrongTime = errs.Invalid("expiresAt", "%s is not within a year from now", expires.Format(time.RFC3339)).For(errs.OutOfRange)
		}
	}
	id, wrongOrder := parseID("orderId", in.OrderID, globalid.Order)
	incentive, wrongIncentive := item.ParseIncentive("incentive", orZero(in.Incentive))
	product, wrongProduct := parseID("productId", in.ProductID, globalid.Product)
	if err := errs.Join(wrongOrder, wrongProduct, wrongTime, wrongIncentive); err != nil {
		return nil, err
	}
	order, err := r.Store.Orders().Get(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case order.Erased():
		return nil, orders.NotFound(id)
	case !order.Has(product):
		return nil, errs.Invalid("productId", "the order %s does not have the product %s: name one of its lines",
			item.Printable(id), item.Printable(product)).For(errs.Contradiction)
	}
	i, err := r.invitationFor(invitations.Invitation{OrderID: id, ProductID: product, Subject: order.Username,
		Expires: expires.UTC().Truncate(time.Second), Incentive: string(incentive)}, &order)
	if err != nil {
		return nil, err
	}
	return &model.CreateInvitationPayload{Invitation: *i}, nil
}
