package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/access"
	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/plan"
)

// CreateComment resolves Mutation.createComment.
func (r mutation) CreateComment(ctx context.Context, in model.CreateCommentInput) (model.CreateCommentPayload, error) {
	if err := r.may(ctx, access.CreateComment, ""); err != nil {
		return model.CreateCommentPayload{}, err
	}
	comment, err := parseNewComment(in)
	if err != nil {
		return model.CreateCommentPayload{}, err
	}
	comment.Owner, comment.OnePerOwner = access.OwnerOf(access.From(ctx)), r.OnePerAuthor
	c, err := r.Store.Create(ctx, comment)
	if err != nil {
		return model.CreateCommentPayload{}, err
	}
	loadersOf(ctx).forgetWrote(ctx, c.ProductID)
	unfiltered := r.commentCursors(plan.Filter{ProductID: c.ProductID})
	return model.CreateCommentPayload{
		Comment:     r.comment(ctx, &c),
		CommentEdge: model.NewCommentEdge(&c, r.mayChange(ctx, c.Owner), unfiltered.Encode),
	}, nil
}

// UpdateComment resolves Mutation.updateComment.
func (r mutation) UpdateComment(ctx context.Context, in model.UpdateCommentInput) (model.UpdateCommentPayload, error) {
	guard, err := r.guard(ctx, access.UpdateComment)
	if err != nil {
		return model.UpdateCommentPayload{}, err
	}
	change, err := parseChange(in)
	if err != nil {
		return model.UpdateCommentPayload{}, err
	}
	change.Guard = guard
	c, err := r.Store.Update(ctx, change)
	if err != nil {
		return model.UpdateCommentPayload{}, err
	}
	loadersOf(ctx).forget(ctx, change.ID)
	return model.UpdateCommentPayload{Comment: r.comment(ctx, &c)}, nil
}

// DeleteComment resolves Mutation.deleteComment.
func (r mutation) DeleteComment(ctx context.Context, in model.DeleteCommentInput) (model.DeleteCommentPayload, error) {
	guard, err := r.guard(ctx, access.DeleteComment)
	if err != nil {
		return model.DeleteCommentPayload{}, err
	}
	id, err := parseCommentID("id", in.ID)
	if err != nil {
		return model.DeleteCommentPayload{}, err
	}
	c, err := r.Store.DeleteIf(ctx, id, guard)
	if err != nil {
		return model.DeleteCommentPayload{}, err
	}
	loadersOf(ctx).forget(ctx, id)
	loadersOf(ctx).forgetWrote(ctx, c.ProductID)
	return model.DeleteCommentPayload{
		DeletedID: model.GlobalID(model.TypeComment, id),
		Product:   model.Product{ProductID: c.ProductID},
	}, nil
}

func parseNewComment(in model.CreateCommentInput) (store.NewComment, error) {
	productID, err := parseProductID("productId", in.ProductID)
	if err != nil {
		return store.NewComment{}, err
	}
	if in.IdempotencyKey != nil && *in.IdempotencyKey == "" {
		return store.NewComment{}, errs.Invalid("idempotencyKey", "it is empty; leave it out or make one up")
	}
	return store.NewComment{
		ProductID: productID, Rating: in.Rating, Language: in.Language,
		Title: orEmpty(in.Title), Text: orEmpty(in.Text), Author: orEmpty(in.Author),
		IdempotencyKey: orEmpty(in.IdempotencyKey),
	}, nil
}

func parseChange(in model.UpdateCommentInput) (store.Change, error) {
	id, err := parseCommentID("id", in.ID)
	return store.Change{
		ID: id, Rating: in.Rating, Language: in.Language,
		Title: clearable(in.Title), Text: clearable(in.Text),
		ExpectedVersion: in.ExpectedVersion,
	}, err
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// clearable turns null into the empty string, which removes a title or text,
// and one that was left out into nil, which keeps it.
func clearable(s graphql.Omittable[*string]) *string {
	value, given := s.ValueOK()
	if !given {
		return nil
	}
	text := orEmpty(value)
	return &text
}
