package double

import (
	"context"
	"math/rand/v2"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// writing describes a write of a single item.
func writing(operation string, content hash) call {
	return call{service: tableService, operation: operation, content: content, writes: true, conflict: func(*rand.Rand) error {
		return &types.TransactionConflictException{Message: aws.String("Transaction is ongoing for the item")}
	}}
}

func reading(operation string, content hash) call {
	return call{service: tableService, operation: operation, content: content}
}

// GetItem reads an item, or what an eventually consistent read sees of it.
func (c *Client) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return do(ctx, c, reading("GetItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.GetItemOutput, error) {
		t, err := s.table(in.TableName, s.now)
		if err != nil {
			return nil, err
		}
		r := s.request(in.ExpressionAttributeNames, nil)
		paths := r.projection(in.ProjectionExpression)
		if err := r.done(); err != nil {
			return nil, err
		}
		if err := t.key.checkKey(in.Key); err != nil {
			return nil, err
		}
		consistent := aws.ToBool(in.ConsistentRead)
		it := t.seen(consistent, s).get(t.idOf(in.Key))
		cost := consumed(in.ReturnConsumedCapacity, t.name, readUnits(itemSize(it), consistent))
		return &dynamodb.GetItemOutput{Item: given(projected(it, paths)), ConsumedCapacity: cost}, nil
	})
}

// seen is the table as a read sees it.
func (t *table) seen(consistent bool, s *setting) *view {
	if consistent {
		return t.base
	}
	return see(t.stale, s.now)
}

// PutItem replaces an item.
func (c *Client) PutItem(ctx context.Context, in *dynamodb.PutItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return do(ctx, c, writing("PutItem", c.keyHash(in.TableName, in.Item)), func(s *setting) (*dynamodb.PutItemOutput, error) {
		w, err := s.newPut(&types.Put{
			TableName: in.TableName, Item: in.Item, ConditionExpression: in.ConditionExpression,
			ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
		})
		attributes, cost, err := s.single(w, err, in.ReturnConsumedCapacity, in.ReturnValues, types.ReturnValueAllOld)
		return &dynamodb.PutItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// UpdateItem alters an item, or makes it.
func (c *Client) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return do(ctx, c, writing("UpdateItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.UpdateItemOutput, error) {
		w, err := s.newUpdate(&types.Update{
			TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression, ConditionExpression: in.ConditionExpression,
			ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
		})
		attributes, cost, err := s.single(w, err, in.ReturnConsumedCapacity, in.ReturnValues, types.ReturnValueAllOld, types.ReturnValueAllNew)
		return &dynamodb.UpdateItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// DeleteItem deletes an item, if there is one.
func (c *Client) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return do(ctx, c, writing("DeleteItem", hash(0).item(in.Key)), func(s *setting) (*dynamodb.DeleteItemOutput, error) {
		w, err := s.newDelete(&types.Delete{
			TableName: in.TableName, Key: in.Key, ConditionExpression: in.ConditionExpression,
			ExpressionAttributeNames: in.ExpressionAttributeNames, ExpressionAttributeValues: in.ExpressionAttributeValues,
			ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
		})
		attributes, cost, err := s.single(w, err, in.ReturnConsumedCapacity, in.ReturnValues, types.ReturnValueAllOld)
		return &dynamodb.DeleteItemOutput{Attributes: attributes, ConsumedCapacity: cost}, err
	})
}

// keyHash is the hash of an item's key alone, if its table is known.
func (c *Client) keyHash(tableName *string, it item) hash {
	c.db.mu.Lock()
	defer c.db.mu.Unlock()
	t := c.db.tables[aws.ToString(tableName)]
	if t == nil {
		return hash(0)
	}
	return hash(0).item(t.key.keyOf(it))
}
