package store

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// attrState is what a mark says.
const attrState = "state" // S

// Empty tells whether the table holds no comments. Items that are no comments
// do not count: they are not in the index that it looks at. It returns an
// Unavailable error if the store does not answer.
func (s *Store) Empty(ctx context.Context) (bool, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	out, err := s.api.Scan(ctx, &dynamodb.ScanInput{TableName: &s.table, IndexName: &key.All.Name, Limit: aws.Int32(1)})
	if err != nil {
		return false, failed("look for comments", err)
	}
	return len(out.Items) == 0, nil
}

// Mark notes a state in the table itself under a name, in place of the one
// noted before. It returns an Unavailable error if the store does not answer.
func (s *Store) Mark(ctx context.Context, name, state string) error {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	it := primaryKey(key.Meta(name))
	it[attrState] = str(state)
	_, err := s.api.PutItem(ctx, &dynamodb.PutItemInput{TableName: &s.table, Item: it})
	return failed("note the state", err)
}

// Marked returns the state that was noted last under a name, "" if there is
// none. It returns an Unavailable error if the store does not answer.
func (s *Store) Marked(ctx context.Context, name string) (string, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	it, err := s.getItem(ctx, key.Meta(name))
	if err != nil {
		return "", err
	}
	state, _ := it[attrState].(*types.AttributeValueMemberS)
	if state == nil {
		return "", nil
	}
	return state.Value, nil
}
