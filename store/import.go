package store

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
	"product-comments/store/pack"
)

// Outcome is what an import did with a comment.
type Outcome uint8

const (
	Written   Outcome = iota + 1 // it was not there
	Replaced                     // one with its id was there, with other content
	Unchanged                    // it was there already, the same; nothing was written
)

const (
	maxBatchWrite = 25 // of one BatchWriteItem
	importWriters = 4  // batches under way at once
)

// importPatience is how long an import waits out throttling of a group.
const importPatience = 5 * time.Minute

// Import writes comments as they are, with their ids and times. They must be
// valid and their ids must differ. Comments with those ids are replaced, under
// the same conditions as an update, with a version above theirs. Importing the
// same comments again changes nothing. It returns one outcome a comment; after
// an error some may have been written and the call can be repeated.
func (s *Store) Import(ctx context.Context, comments []Comment) ([]Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, importPatience)
	defer cancel()
	ids := make([]string, len(comments))
	for i := range comments {
		ids[i] = comments[i].ID
	}
	existing, err := s.getItems(ctx, ids)
	if err != nil {
		return nil, err
	}
	all := make([]*Comment, len(comments))
	for i := range comments {
		all[i] = &comments[i]
	}
	generation, err := s.announce(ctx, all...)
	if err != nil {
		return nil, err
	}
	codec, err := s.packer(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		for product := range productsOf(comments) {
			s.wrote(product)
		}
	}()
	outcomes := make([]Outcome, len(comments))
	var fresh []types.WriteRequest
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(importWriters)
	for i := range comments {
		c := comments[i]
		c.generation = generation
		if old := existing[key.Comment(c.ID)]; old != nil {
			group.Go(func() (err error) {
				outcomes[i], err = s.replace(groupCtx, old, c, codec)
				return err
			})
			continue
		}
		outcomes[i] = Written
		c.Version = 1
		fresh = append(fresh, types.WriteRequest{PutRequest: &types.PutRequest{Item: itemOf(&c, codec)}})
	}
	for len(fresh) > 0 {
		batch := fresh[:min(len(fresh), maxBatchWrite)]
		fresh = fresh[len(batch):]
		group.Go(func() error { return s.writeBatch(groupCtx, batch) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return outcomes, nil
}

func productsOf(comments []Comment) map[string]bool {
	products := map[string]bool{}
	for i := range comments {
		products[comments[i].ProductID] = true
	}
	return products
}

// writeBatch writes at most 25 items. Those that DynamoDB leaves unprocessed are
// tried again, with a growing pause, until the deadline.
func (s *Store) writeBatch(ctx context.Context, batch []types.WriteRequest) error {
	for pause := newPause(); ; {
		out, err := s.api.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{s.table: batch}})
		if err != nil && !throttled(err) {
			return failed("write the items", err)
		}
		if err == nil {
			if batch = out.UnprocessedItems[s.table]; len(batch) == 0 {
				return nil
			}
		}
		if err := pause.wait(ctx); err != nil {
			return failed("write all of the items", err)
		}
	}
}

// throttled tells whether DynamoDB answered, and said: later.
func throttled(err error) bool {
	return unavailable(err) && apiCode(err) != ""
}

// replace puts a comment in the place of the one that has its id.
func (s *Store) replace(ctx context.Context, old item, c Comment, codec *pack.Codec) (Outcome, error) {
	for pause := newPause(); ; {
		if old == nil { // deleted just now
			c.Version = 1
			return Written, s.writeBatch(ctx, []types.WriteRequest{{PutRequest: &types.PutRequest{Item: itemOf(&c, codec)}}})
		}
		before, err := s.comment(ctx, old, "")
		if err != nil {
			return 0, err
		}
		same := c // the format knows no time of edits
		same.Version, same.UpdatedAt, same.generation = before.Version, before.UpdatedAt, before.generation
		if sameItem(storedForm(&same, old), old) && same.says() == before.says() {
			return Unchanged, nil
		}
		c.Version = before.Version + 1
		c.generation = max(c.generation, before.generation)
		want := itemOf(&c, codec)
		condition, names, values := unchangedItem(old, attrVersion, key.GSISK)
		_, err = s.api.PutItem(ctx, &dynamodb.PutItemInput{
			TableName:                           &s.table,
			Item:                                want,
			ConditionExpression:                 condition,
			ExpressionAttributeNames:            names,
			ExpressionAttributeValues:           values,
			ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
		})
		s.wrote(before.ProductID) // it may have been another product's
		if err == nil {
			return Replaced, nil
		}
		now, lost := conditionFailed(err)
		switch {
		case lost && now == nil:
			if old, err = s.getItem(ctx, key.Comment(c.ID)); err != nil {
				return 0, err
			}
		case lost && sameItem(now, want): // our own write, whose answer was lost
			return Replaced, nil
		case lost:
			old = now
		case !throttled(err):
			return 0, failed("replace the comment", err)
		}
		if err := pause.wait(ctx); err != nil {
			return 0, failed("replace the comment", err)
		}
	}
}
