package store

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"product-comments/store/key"
)

// MaxBatchGet is the most comments that one BatchGetItem reads.
const MaxBatchGet = 100

// Get reads one comment, whole and strongly consistent: its author sees every
// edit at once. It returns nil if there is none, and an Unavailable error if
// the store does not answer.
func (s *Store) Get(ctx context.Context, id string) (*Comment, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	it, err := s.getItem(ctx, key.Comment(id))
	if err != nil || it == nil {
		return nil, err
	}
	c, err := s.comment(ctx, it, "")
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// getItem returns nil if there is no such item.
func (s *Store) getItem(ctx context.Context, pk string) (item, error) {
	out, err := s.api.GetItem(ctx, &dynamodb.GetItemInput{TableName: &s.table, Key: primaryKey(pk), ConsistentRead: aws.Bool(true), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal})
	if err != nil {
		return nil, failed("read the comment", err)
	}
	meterCall(ctx, out.ConsumedCapacity)
	if len(out.Item) == 0 {
		return nil, nil
	}
	return out.Item, nil
}

// GetMany reads comments by their ids, whole and strongly consistent. The
// result has their order and length, with nil where there is none; an id may
// be given twice. It returns an Unavailable error if not all could be read.
func (s *Store) GetMany(ctx context.Context, ids []string) ([]*Comment, error) {
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	items, err := s.getItems(ctx, ids)
	if err != nil {
		return nil, err
	}
	out := make([]*Comment, len(ids))
	for i, id := range ids {
		it := items[key.Comment(id)]
		if it == nil {
			continue
		}
		c, err := s.comment(ctx, it, "")
		if err != nil {
			return nil, err
		}
		out[i] = &c
	}
	return out, nil
}

// batchReaders is how many BatchGetItem calls of one verb are under way at once.
const batchReaders = 4

// getItems returns the comment items that exist, by partition key.
func (s *Store) getItems(ctx context.Context, ids []string) (map[string]item, error) {
	wanted := make([]item, 0, len(ids))
	seen := make(map[string]bool, len(ids))
	for _, id := range ids {
		if pk := key.Comment(id); !seen[pk] {
			seen[pk] = true
			wanted = append(wanted, primaryKey(pk))
		}
	}
	found := make(map[string]item, len(wanted))
	err := s.getBatches(ctx, wanted, true, func(it item) { found[text(it, key.PK)] = it })
	if err != nil {
		return nil, err
	}
	return found, nil
}

// getBatches reads any number of different items, and calls found with each
// that exists, one after the other.
func (s *Store) getBatches(ctx context.Context, keys []item, consistent bool, found func(item)) error {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batchReaders)
	for batch := range slices.Chunk(keys, MaxBatchGet) {
		group.Go(func() error {
			return s.getBatch(ctx, batch, consistent, func(it item) {
				mu.Lock()
				defer mu.Unlock()
				found(it)
			})
		})
	}
	return group.Wait()
}

// getBatch reads at most 100 items. Keys that DynamoDB leaves unprocessed are
// asked for again, with a growing pause, until the deadline.
func (s *Store) getBatch(ctx context.Context, keys []item, consistent bool, found func(item)) error {
	for pause := newPause(); ; {
		out, err := s.api.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{s.table: {Keys: keys, ConsistentRead: &consistent}}, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
		})
		if err != nil {
			return failed("read the items", err)
		}
		meterCalls(ctx, out.ConsumedCapacity...)
		for _, it := range out.Responses[s.table] {
			found(it)
		}
		if keys = out.UnprocessedKeys[s.table].Keys; len(keys) == 0 {
			return nil
		}
		if err := pause.wait(ctx); err != nil {
			return failed("read all of the items", err)
		}
	}
}
