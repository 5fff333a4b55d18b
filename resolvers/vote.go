package resolvers

import (
	"context"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/votes"
)

// VoteHelpful resolves Mutation.voteHelpful.
func (r mutation) VoteHelpful(ctx context.Context, in model.VoteHelpfulInput) (*model.VoteHelpfulPayload, error) {
	if err := r.may(ctx, access.Vote, ""); err != nil {
		return nil, err
	}
	id, err := parseID("commentId", in.CommentID, model.TypeComment)
	if err != nil {
		return nil, err
	}
	if v := access.VisitorOf(ctx); v != nil {
		v.Remember()
	}
	voter, ok := voterOf(ctx)
	if !ok { // the rules allow it to nobody else
		return nil, errs.Errorf(errs.Internal, "a vote of nobody")
	}
	c, err := r.Store.Vote(ctx, id, voter, orZero(in.Vote))
	after, err := r.changed(ctx, c, err)
	return &model.VoteHelpfulPayload{Comment: after}, err
}

// voterOf returns as whom the viewer votes; ok is false if they are not known.
func voterOf(ctx context.Context) (voter key.Voter, ok bool) {
	if subject := access.From(ctx).Subject; subject != "" {
		return key.VoterOf(subject), true
	}
	if id := access.VisitorOf(ctx).ID(); id != "" {
		return key.VisitorOf(id), true
	}
	return "", false
}

// ViewerVote resolves Comment.viewerVote, for all comments of a page in one batch. It
// is not read of a comment that is known to have no votes.
func (comment) ViewerVote(ctx context.Context, of *model.Comment) (*votes.Vote, error) {
	ballot := of.Comment.Ballot
	if _, ok := voterOf(ctx); !ok || of.Whole && ballot == "" {
		return nil, nil
	}
	cast, err := loadersOf(ctx).vote(ctx, of.CommentID())
	if err != nil || cast.Vote == votes.None {
		return nil, err
	}
	if !of.Whole {
		c, err := loadersOf(ctx).comment(ctx, of.CommentID())
		if err != nil || c == nil {
			return nil, err
		}
		ballot = c.Ballot
	}
	if vote := cast.On(ballot); vote != votes.None {
		return &vote, nil
	}
	return nil, nil
}
