package double

import (
	"context"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// writing returns the description of a write of a single item.
func writing(operation string, content hash) call {
	return call{service: tableService, operation: operation, content: content, writes: true, conflict: func(*rand.Rand) error {
		return &types.TransactionConflictException{Message: aws.String("Transaction is ongoing for the item")}
	}}
}

func reading(operation string, content hash) call {
	return call{service: tableService, operation: operation, content: content}
}

// GetItem reads an item. An eventually consistent read may return an older version.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	called(c, in)
	return do(ctx, c, reading("GetItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.GetItemOutput, error) {
		r, err := s.find().Get(in)
		if err != nil {
			return nil, err
		}
		it, units := r.Of(s.seen(r))
		return &dynamodb.GetItemOutput{Item: dynamo.Given(it), ConsumedCapacity: dynamo.Consumed(in.ReturnConsumedCapacity, r.Table.Name, units)}, nil
	})
}

// seen returns the view that a read with this consistency reads.
func (t *table) seen(consistent bool, s *setting) *view {
	if consistent {
		return t.base
	}
	return see(t.stale, s.now)
}

// PutItem replaces an item.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	called(c, in)
	return do(ctx, c, writing("PutItem", c.keyHash(in.TableName, in.Item)), func(s *setting) (*dynamodb.PutItemOutput, error) {
		attributes, cost, err := s.single(s.find().Put(in))
		return &dynamodb.PutItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// UpdateItem alters an item, or creates it.
func (c *Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	called(c, in)
	return do(ctx, c, writing("UpdateItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.UpdateItemOutput, error) {
		attributes, cost, err := s.single(s.find().Update(in))
		return &dynamodb.UpdateItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// DeleteItem deletes an item, if there is one.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	called(c, in)
	return do(ctx, c, writing("DeleteItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.DeleteItemOutput, error) {
		attributes, cost, err := s.single(s.find().Delete(in))
		return &dynamodb.DeleteItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// single executes a call with one write, and returns the item and the capacity of its answer.
func (s *setting) single(w *dynamo.Write, err error) (item, *types.ConsumedCapacity, error) {
	before, after, err := s.one(w, err)
	if err != nil {
		return nil, nil, err
	}
	attributes, cost := w.Answer(before, after)
	return attributes, cost, nil
}

// keyHash is the hash of an item's key alone, if its table is known.
func (c *Client) keyHash(tableName *string, it item) hash {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	t := c.db.tables[aws.ToString(tableName)]
	if t == nil {
		return hash(0)
	}
	return hash(0).item(t.Base.Key.KeyOf(it))
}
