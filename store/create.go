package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/oklog/ulid/v2"

	"product-comments/store/errs"
	"product-comments/store/key"
	"product-comments/store/pack"
)

// idempotencyPeriod is how long a create can be repeated with its key. The
// table's time to live removes the item that remembers it.
const idempotencyPeriod = 7 * 24 * time.Hour

const absent = "attribute_not_exists(" + key.PK + ")"

// Create writes a new comment. It returns BadUserInput for invalid input,
// Conflict if the comment made with the same idempotency key was deleted, and
// Unavailable if the store does not answer; a repeated call with the same
// idempotency key is then safe.
func (s *Store) Create(ctx context.Context, n NewComment) (Comment, error) {
	now := s.now().UTC().Truncate(time.Microsecond)
	c := Comment{
		ID: ulid.MustNew(ulid.Timestamp(now), ulid.DefaultEntropy()).String(), ProductID: n.ProductID,
		Rating: n.Rating, Language: n.Language, Title: n.Title, Text: n.Text, Author: n.Author,
		CreatedAt: now, UpdatedAt: now, Version: 1,
	}
	if err := c.Validate(); err != nil {
		return Comment{}, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	var err error
	if n.IdempotencyKey != "" {
		if err := validateID("idempotencyKey", n.IdempotencyKey, MaxIdempotencyKey); err != nil {
			return Comment{}, err
		}
	}
	if c.generation, err = s.announce(ctx, &c); err != nil {
		return Comment{}, err
	}
	codec, err := s.packer(ctx)
	if err != nil {
		return Comment{}, err
	}
	defer s.wrote(c.ProductID)
	if n.IdempotencyKey != "" {
		return s.createOnce(ctx, c, codec, n.IdempotencyKey)
	}
	_, err = s.api.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:           &s.table,
		Item:                itemOf(&c, codec),
		ConditionExpression: aws.String(absent),
	})
	// The id is new, so an item that is there already is ours: the client's
	// own retry of a write whose answer was lost.
	if _, exists := conditionFailed(err); err != nil && !exists {
		return Comment{}, failed("write the comment", err)
	}
	return c, nil
}

// createOnce writes the comment together with an item that remembers it under
// the idempotency key, or returns the comment that is remembered there.
func (s *Store) createOnce(ctx context.Context, c Comment, codec *pack.Codec, idempotencyKey string) (Comment, error) {
	digest := sha256.Sum256([]byte(c.ProductID + "\x00" + idempotencyKey))
	pk := key.Idempotency(hex.EncodeToString(digest[:16]))
	memory := primaryKey(pk)
	memory[attrCommentID] = str(c.ID)
	memory[attrExpires] = num(int(c.CreatedAt.Add(idempotencyPeriod).Unix()))
	in := &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &s.table, Item: memory, ConditionExpression: aws.String(absent)}},
		{Put: &types.Put{TableName: &s.table, Item: itemOf(&c, codec), ConditionExpression: aws.String(absent)}},
	}}
	for pause := newPause(); ; {
		_, err := s.api.TransactWriteItems(ctx, in)
		if err == nil {
			return c, nil
		}
		var canceled *types.TransactionCanceledException
		if !errors.As(err, &canceled) {
			return Comment{}, failed("write the comment", err)
		}
		switch reason(canceled) {
		case "ConditionalCheckFailed":
			return s.remembered(ctx, pk)
		case "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded":
			if err := pause.wait(ctx); err != nil {
				return Comment{}, failed("write the comment", err)
			}
		default:
			return Comment{}, failed("write the comment", err)
		}
	}
}

// reason returns the first of a cancelled transaction's reasons.
func reason(canceled *types.TransactionCanceledException) string {
	for _, r := range canceled.CancellationReasons {
		if code := aws.ToString(r.Code); code != "" && code != "None" {
			return code
		}
	}
	return ""
}

// remembered returns the comment that an idempotency item names.
func (s *Store) remembered(ctx context.Context, pk string) (Comment, error) {
	memory, err := s.getItem(ctx, pk)
	if err != nil {
		return Comment{}, err
	}
	id, _ := memory[attrCommentID].(*types.AttributeValueMemberS)
	if id == nil { // it expired since the transaction saw it
		return Comment{}, errs.Errorf(errs.Unavailable, "The idempotency key expired just now, try again")
	}
	c, err := s.Get(ctx, id.Value)
	if err != nil {
		return Comment{}, err
	}
	if c == nil {
		return Comment{}, errs.Errorf(errs.Conflict, "The comment that was made with this idempotency key has been deleted")
	}
	return *c, nil
}
