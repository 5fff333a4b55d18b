package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Delete removes a comment; the indexes follow by themselves. It returns the
// comment as it was, NotFound if there is none, and Unavailable if the store
// does not answer.
func (s *Store) Delete(ctx context.Context, id string) (Comment, error) {
	if err := ValidateCommentID("id", id); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	meta, err := s.recentMeta(ctx)
	if err != nil {
		return Comment{}, err
	}
	out, err := s.api.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName:    &s.table,
		Key:          primaryKey(key.Comment(id)),
		ReturnValues: types.ReturnValueAllOld,
	})
	if err != nil {
		return Comment{}, failed("delete the comment", err)
	}
	if len(out.Attributes) == 0 {
		return Comment{}, notFound(id)
	}
	c, err := s.comment(ctx, out.Attributes, "")
	s.wrote(c.ProductID)
	if err != nil {
		return Comment{}, err
	}
	if meta.PowerSets[c.ProductID] != PowerSetOff {
		s.catalog.wrote(c.ProductID, s.now())
	}
	return c, nil
}
