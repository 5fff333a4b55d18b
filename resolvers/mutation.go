package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/globalid"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/comment/item"
	"product-comments/store/comment/votes"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/key/cursor"
	"product-comments/store/read/plan"
)

// CreateComment resolves Mutation.createComment.
func (r mutation) CreateComment(ctx context.Context, in model.CreateCommentInput) (*model.CreateCommentPayload, error) {
	by, err := r.invitedBy(ctx, in.Invitation)
	if err != nil {
		return nil, err
	}
	acting := actingBy(ctx, by)
	if err := r.authorize(acting, access.CreateComment, ""); err != nil {
		return nil, err
	}
	comment, err := parseNewComment(in, by)
	if err != nil {
		return nil, err
	}
	if comment.Incentive != "" {
		if err := r.authorize(acting, access.SetIncentive, ""); err != nil {
			return nil, err
		}
	}
	viewer := access.From(acting)
	comment.Owner, comment.OnePerOwner, comment.Trusted = access.OwnerOf(viewer), r.OnePerAuthor, access.IsStaff(viewer)
	comment.By = viewer.Subject
	invite(&comment, by)
	c, err := r.Store.Create(ctx, comment)
	if err == nil && by != nil {
		// The sender of review requests looks itself if this fails.
		_ = r.Store.Requests().Answered(ctx, by.OrderID)
	}
	payload := &model.CreateCommentPayload{Comment: r.comment(ctx, &c)}
	if c.State == item.Published {
		unfiltered := cursor.ListOf(r.Cursors, cursor.Comments, plan.Filter{ProductID: c.ProductID}.Scope())
		payload.CommentEdge = new(model.NewCommentEdge(&c, r.permissions(ctx, c.Owner), c.Position(), unfiltered.Encode))
	}
	return payload, err
}

// UpdateComment resolves Mutation.updateComment.
func (r mutation) UpdateComment(ctx context.Context, in model.UpdateCommentInput) (*model.CommentPayload, error) {
	by, err := r.invitedBy(ctx, in.Invitation)
	if err != nil {
		return nil, err
	}
	acting := actingBy(ctx, by)
	guard, err := r.guard(acting, access.UpdateComment)
	if err != nil {
		return nil, err
	}
	change, err := parseChange(in)
	if err != nil {
		return nil, err
	}
	viewer := access.From(acting)
	change.Guard, change.By, change.Trusted = r.onlyInvited(ctx, by, change.ID, guard), viewer.Subject, access.IsStaff(viewer)
	c, err := r.Store.Update(ctx, change)
	return &model.CommentPayload{Comment: r.comment(ctx, &c)}, err
}

// DeleteComment resolves Mutation.deleteComment.
func (r mutation) DeleteComment(ctx context.Context, in model.DeleteCommentInput) (*model.DeleteCommentPayload, error) {
	guard, err := r.guard(ctx, access.DeleteComment)
	if err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, err
	}
	c, err := r.Store.DeleteBy(ctx, id, access.From(ctx).Subject, guard)
	return &model.DeleteCommentPayload{
		DeletedID: globalid.Of(globalid.Comment, id),
		Product:   model.Product{ProductID: c.ProductID},
	}, err
}

// parseNewComment parses the input. If the product's id is invalid it returns all errors of the
// input, because the store, which would report the others, is not called.
func parseNewComment(in model.CreateCommentInput, by *model.Invitation) (store.NewComment, error) {
	productID, err := productOf(in.ProductID, by)
	incentive, _ := item.ParseIncentive("incentive", orZero(in.Incentive)) // the schema has checked the name
	comment := store.NewComment{
		ProductID: productID, Rating: in.Rating, Language: in.Language,
		Title: orZero(in.Title), Text: orZero(in.Text), Author: orZero(in.Author),
		IdempotencyKey: orZero(in.IdempotencyKey), Attributes: in.Attributes, Photos: photosOf(in.Photos),
		Incentive: incentive, ExperiencedAt: in.ExperiencedAt,
	}
	if err != nil {
		return comment, errs.Join(err, comment.Problems())
	}
	return comment, nil
}

// productOf parses the product of a new comment, which an invitation names, too.
func productOf(given *string, by *model.Invitation) (string, error) {
	if by == nil {
		return parseID("productId", orZero(given), globalid.Product)
	}
	if isAbsent(given) {
		return by.ProductID, nil
	}
	id, err := parseID("productId", *given, globalid.Product)
	if err == nil && id != by.ProductID {
		err = errs.Invalid("productId", "the invitation is for another product: leave this out").For(errs.Contradiction)
	}
	return id, err
}

// parseChange is parseNewComment for a change.
func parseChange(in model.UpdateCommentInput) (store.Change, error) {
	id, err := parseID("id", in.ID, globalid.Comment)
	change := store.Change{
		ID: id, Rating: in.Rating, Language: emptyToNil(in.Language), Title: saidOrNil(in.Title), Text: saidOrNil(in.Text),
		ExpectedVersion: in.ExpectedVersion, Attributes: in.Attributes,
	}
	if in.Photos != nil {
		change.Photos = new(photosOf(in.Photos))
	}
	for _, f := range in.Clear {
		err = errs.Join(err, clearField(&change, f))
	}
	if err != nil {
		return change, errs.Join(err, change.Problems())
	}
	return change, nil
}

// clearField makes a change remove a field of the comment. Repeated fields are allowed.
func clearField(change *store.Change, f model.ClearableField) error {
	part := map[model.ClearableField]**string{
		model.ClearableFieldTitle: &change.Title, model.ClearableFieldText: &change.Text,
	}[f]
	if !isAbsent(*part) {
		return errs.Invalid("clear", "%s is both cleared and set: do one of them", f).For(errs.Contradiction)
	}
	*part = new(string)
	return nil
}

// saidOrNil is emptyToNil for a text, of which white space says nothing.
func saidOrNil(s *string) *string { return emptyToNil(new(item.Said(orZero(s)))) }

// emptyToNil returns nil, which leaves a field unchanged, for an empty string.
func emptyToNil(s *string) *string {
	if isAbsent(s) {
		return nil
	}
	return s
}

// VoteHelpful resolves Mutation.voteHelpful.
func (r mutation) VoteHelpful(ctx context.Context, in model.VoteHelpfulInput) (*model.CommentPayload, error) {
	guard, err := r.guard(ctx, access.Vote)
	if err != nil {
		return nil, err
	}
	id, err := parseID("id", in.ID, globalid.Comment)
	if err != nil {
		return nil, err
	}
	if v := access.VisitorOf(ctx); v != nil {
		v.Remember()
	}
	voter, ok := voterOf(ctx)
	if !ok { // the rules allow no other viewer to vote
		return nil, errs.Errorf(errs.Internal, "a vote without a voter")
	}
	c, err := r.Store.Vote(ctx, id, voter, orZero(in.Vote), guard)
	return &model.CommentPayload{Comment: r.comment(ctx, &c)}, err
}

// voterOf returns the viewer's identity for votes; ok is false if they have none.
func voterOf(ctx context.Context) (voter key.Voter, ok bool) {
	if subject := access.From(ctx).Subject; subject != "" {
		return key.VoterOf(subject), true
	}
	if id := access.VisitorOf(ctx).ID(); id != "" {
		return key.VisitorOf(id), true
	}
	return "", false
}

// ViewerVote resolves Comment.viewerVote, for all comments of a page in one batch. It skips
// comments that are known to have no votes.
func (comment) ViewerVote(ctx context.Context, of *model.Comment) (*votes.Vote, error) {
	ballot := of.Comment.Ballot
	if _, ok := voterOf(ctx); !ok || of.Whole && ballot == "" {
		return nil, nil
	}
	cast, err := loadersOf(ctx).vote(ctx, of.Comment.ID)
	if err != nil || cast.Vote == votes.None {
		return nil, err
	}
	if !of.Whole {
		c, err := loadersOf(ctx).comment(ctx, of.Comment.ID)
		if err != nil || c == nil {
			return nil, err
		}
		ballot = c.Ballot
	}
	if vote := cast.VoteOn(ballot); vote != votes.None {
		return &vote, nil
	}
	return nil, nil
}
