package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
)

// touch notes on a comment that a generation of statistics counts it, unless
// it is noted or the comment is gone. The record of that in the stream is what
// makes the projector count it. It costs a write unit for each KB of the item,
// since no index carries the attribute.
func (s *Store) touch(ctx context.Context, pk string, generation int) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	_, err := s.api.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: primaryKey(pk),
		UpdateExpression:          aws.String("SET " + attrGeneration + " = :gen"),
		ConditionExpression:       aws.String("attribute_exists(" + key.PK + ") AND (attribute_not_exists(" + attrGeneration + ") OR " + attrGeneration + " < :gen)"),
		ExpressionAttributeValues: item{":gen": num(generation)},
	})
	if _, done := conditionFailed(err); done {
		return nil
	}
	return failed("touch a comment", err)
}

// touchers is how many comments are touched at once.
const touchers = 8

// touchStale touches the comments that changes left with an older generation:
// a writer did not know yet that there is another one.
func (s *Store) touchStale(ctx context.Context, generation int, changes []change) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(touchers)
	for _, ch := range changes {
		if ch.after != nil && ch.after.Generation < generation {
			group.Go(func() error { return s.touch(ctx, key.Comment(ch.id), generation) })
		}
	}
	return group.Wait()
}
