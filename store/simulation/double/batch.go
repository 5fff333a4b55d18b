package double

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxBatchGet   = 100 // keys
	maxBatchWrite = 25  // writes
)

// partial draws how many of n parts of a batch are processed: all of them, or
// some, but at least one.
func (s *setting) partial(n int) int {
	if n < 2 || !s.happens(s.faults.PartialBatch) {
		return n
	}
	return 1 + s.dice.IntN(n-1)
}

// BatchGetItem reads up to 100 items, in no order.
func (c *Client) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	content := hash(0)
	for _, of := range in.RequestItems {
		for _, key := range of.Keys {
			content += hash(0).item(key)
		}
	}
	return do(ctx, c, reading("BatchGetItem", content), func(s *setting) (*dynamodb.BatchGetItemOutput, error) {
		return s.batchGet(in)
	})
}

// batchKey is one key of a BatchGetItem.
type batchKey struct {
	table      *table
	key        item
	paths      []path
	consistent bool
}

func (s *setting) batchGet(in *dynamodb.BatchGetItemInput) (*dynamodb.BatchGetItemOutput, error) {
	keys, err := s.batchKeys(in)
	if err != nil {
		return nil, err
	}
	s.dice.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	out := &dynamodb.BatchGetItemOutput{Responses: map[string][]map[string]types.AttributeValue{}, UnprocessedKeys: map[string]types.KeysAndAttributes{}}
	units := map[string]float64{}
	most, bytes := s.partial(len(keys)), 0
	for i, k := range keys {
		it := k.table.seen(k.consistent, s).get(k.table.idOf(k.key))
		if i >= most || bytes+itemSize(it) > maxBatchGot {
			left := in.RequestItems[k.table.name]
			left.Keys = append(out.UnprocessedKeys[k.table.name].Keys, k.key)
			out.UnprocessedKeys[k.table.name] = left
			continue
		}
		bytes += itemSize(it)
		units[k.table.name] += readUnits(itemSize(it), k.consistent)
		if it != nil {
			out.Responses[k.table.name] = append(out.Responses[k.table.name], given(projected(it, k.paths)))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		if out.Responses[name] == nil {
			out.Responses[name] = []map[string]types.AttributeValue{}
		}
		units[name] += 0 // also of a table of which nothing was read
	}
	out.ConsumedCapacity = consumedBy(in.ReturnConsumedCapacity, units)
	return out, nil
}

// batchKeys checks a request and returns its keys.
func (s *setting) batchKeys(in *dynamodb.BatchGetItemInput) ([]batchKey, error) {
	var keys []batchKey
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		of := in.RequestItems[name]
		t, err := s.table(&name, s.now)
		if err != nil {
			return nil, err
		}
		r := s.request(of.ExpressionAttributeNames, nil)
		paths := r.projection(of.ProjectionExpression)
		if err := r.done(); err != nil {
			return nil, err
		}
		seen := map[string]bool{}
		for _, key := range of.Keys {
			if err := t.key.checkKey(key); err != nil {
				return nil, err
			}
			id := t.idOf(key)
			if seen[id] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[id] = true
			keys = append(keys, batchKey{t, key, paths, aws.ToBool(of.ConsistentRead)})
		}
		if len(of.Keys) == 0 {
			return nil, tooShort("requestItems." + name + ".member.keys")
		}
	}
	if len(keys) == 0 {
		return nil, tooShort("requestItems")
	}
	if len(keys) > maxBatchGet {
		return nil, invalid("Too many items requested for the BatchGetItem call")
	}
	return keys, nil
}

func tooShort(what string) error {
	return invalid("1 validation error detected: Value at '%s' failed to satisfy constraint: Member must have length greater than or equal to 1", what)
}

// BatchWriteItem makes up to 25 puts and deletions, each by itself.
func (c *Client) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	content := hash(0)
	for name, requests := range in.RequestItems {
		for _, r := range requests {
			if r.PutRequest != nil {
				content += c.keyHash(&name, r.PutRequest.Item)
			} else if r.DeleteRequest != nil {
				content += hash(0).item(r.DeleteRequest.Key)
			}
		}
	}
	what := reading("BatchWriteItem", content)
	what.writes = true
	return do(ctx, c, what, func(s *setting) (*dynamodb.BatchWriteItemOutput, error) { return s.batchWrite(in) })
}

func (s *setting) batchWrite(in *dynamodb.BatchWriteItemInput) (*dynamodb.BatchWriteItemOutput, error) {
	var writes []*write
	var requests []types.WriteRequest
	for _, name := range slices.Sorted(maps.Keys(in.RequestItems)) {
		seen := map[string]bool{}
		for _, r := range in.RequestItems[name] {
			w, err := s.batchOne(name, r)
			if err != nil {
				return nil, err
			}
			if seen[w.id] {
				return nil, invalid("Provided list of item keys contains duplicates")
			}
			seen[w.id] = true
			writes, requests = append(writes, w), append(requests, r)
		}
		if len(in.RequestItems[name]) == 0 {
			return nil, tooShort("requestItems." + name)
		}
	}
	if len(writes) == 0 {
		return nil, tooShort("requestItems")
	}
	if len(writes) > maxBatchWrite {
		return nil, invalid("Too many items requested for the BatchWriteItem call")
	}
	out := &dynamodb.BatchWriteItemOutput{UnprocessedItems: map[string][]types.WriteRequest{}}
	units := map[string]float64{}
	most := s.partial(len(writes))
	for n, i := range s.dice.Perm(len(writes)) {
		w := writes[i]
		if n >= most {
			out.UnprocessedItems[w.t.name] = append(out.UnprocessedItems[w.t.name], requests[i])
			continue
		}
		before, after, err := s.one(w)
		if err != nil {
			return nil, fmt.Errorf("a write without a condition failed: %w", err)
		}
		units[w.t.name] += w.t.cost(before, after)
	}
	out.ConsumedCapacity = consumedBy(in.ReturnConsumedCapacity, units)
	return out, nil
}

func (s *setting) batchOne(table string, r types.WriteRequest) (*write, error) {
	switch {
	case r.PutRequest != nil && r.DeleteRequest == nil:
		return s.newPut(&types.Put{TableName: &table, Item: r.PutRequest.Item})
	case r.DeleteRequest != nil && r.PutRequest == nil:
		return s.newDelete(&types.Delete{TableName: &table, Key: r.DeleteRequest.Key})
	}
	return nil, invalid("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes")
}
