package resolvers

import (
	"context"

	"github.com/99designs/gqlgen/graphql"

	"product-comments/graph/model"
	"product-comments/store"
	"product-comments/store/errs"
	"product-comments/store/plan"
)

func (r mutation) CreateComment(ctx context.Context, in model.CreateCommentInput) (model.CreateCommentPayload, error) {
	productID, err := parseProductID("productId", in.ProductID)
	if err != nil {
		return model.CreateCommentPayload{}, err
	}
	if in.IdempotencyKey != nil && *in.IdempotencyKey == "" {
		return model.CreateCommentPayload{}, errs.Invalid("idempotencyKey", "it is empty; leave it out or make one up")
	}
	c, err := r.Store.Create(ctx, store.NewComment{
		ProductID: productID, Rating: in.Rating, Language: in.Language,
		Title: orEmpty(in.Title), Text: orEmpty(in.Text), Author: orEmpty(in.Author), IdempotencyKey: orEmpty(in.IdempotencyKey),
	})
	if err != nil {
		return model.CreateCommentPayload{}, err
	}
	comment := model.NewComment(&c)
	edge := model.NewCommentEdge(comment, r.cursorOf(plan.Filter{ProductID: c.ProductID}.Scope()))
	return model.CreateCommentPayload{Comment: comment, CommentEdge: edge}, nil
}

func (r mutation) UpdateComment(ctx context.Context, in model.UpdateCommentInput) (model.UpdateCommentPayload, error) {
	id, err := parseCommentID("id", in.ID)
	if err != nil {
		return model.UpdateCommentPayload{}, err
	}
	c, err := r.Store.Update(ctx, store.Change{
		ID: id, Rating: in.Rating, Language: in.Language,
		Title: clearable(in.Title), Text: clearable(in.Text), ExpectedVersion: in.ExpectedVersion,
	})
	if err != nil {
		return model.UpdateCommentPayload{}, err
	}
	loadersOf(ctx).forget(ctx, id)
	return model.UpdateCommentPayload{Comment: model.NewComment(&c)}, nil
}

func (r mutation) DeleteComment(ctx context.Context, in model.DeleteCommentInput) (model.DeleteCommentPayload, error) {
	id, err := parseCommentID("id", in.ID)
	if err != nil {
		return model.DeleteCommentPayload{}, err
	}
	c, err := r.Store.Delete(ctx, id)
	if err != nil {
		return model.DeleteCommentPayload{}, err
	}
	loadersOf(ctx).forget(ctx, id)
	return model.DeleteCommentPayload{
		DeletedID: model.GlobalID(model.TypeComment, id),
		Product:   model.Product{ProductID: c.ProductID},
	}, nil
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// clearable turns null into the empty string that removes a part, and what was
// left out into nil.
func clearable(s graphql.Omittable[*string]) *string {
	value, given := s.ValueOK()
	if !given {
		return nil
	}
	empty := orEmpty(value)
	return &empty
}
