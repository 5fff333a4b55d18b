package table

import (
	"context"
	"slices"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"
)

// MaxBatchGet is the maximum number of items in one BatchGetItem.
const MaxBatchGet = 100

// batchReaders bounds the concurrent BatchGetItem calls of one operation.
const batchReaders = 4

// Get reads an item, strongly consistent; nil if there is none. Error messages use what to name the
// item.
func (t *Table) Get(ctx context.Context, what string, primary Item) (Item, error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	in := &dynamodb.GetItemInput{TableName: &t.name, Key: primary, ConsistentRead: aws.Bool(true),
		ReturnConsumedCapacity: total}
	out, err := metered(ctx, t, what, unitsOfStart, func() (*dynamodb.GetItemOutput, error) {
		return ask(ctx, t, newCall(GetItem, primary), t.api.GetItem, in)
	})
	if err != nil || len(out.Item) == 0 {
		return nil, err
	}
	return out.Item, nil
}

// GetMany reads any number of different items and calls found with each that exists; calls do
// not overlap. It returns the first error of found, or an Unavailable error if not all items
// could be read.
func (t *Table) GetMany(ctx context.Context, keys []Item, consistent bool, found func(Item) error) error {
	if len(keys) <= MaxBatchGet { // the usual case needs no goroutine
		return t.getBatch(ctx, keys, consistent, found)
	}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(batchReaders)
	for batch := range slices.Chunk(keys, MaxBatchGet) {
		group.Go(func() error {
			return t.getBatch(ctx, batch, consistent, func(it Item) error {
				mu.Lock()
				defer mu.Unlock()
				return found(it)
			})
		})
	}
	return group.Wait()
}

// getBatch reads at most 100 items, and requests unprocessed keys again.
func (t *Table) getBatch(ctx context.Context, keys []Item, consistent bool, found func(Item) error) error {
	if len(keys) == 0 {
		return nil
	}
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	for pause := t.NewPause(); ; {
		in := &dynamodb.BatchGetItemInput{
			RequestItems: map[string]types.KeysAndAttributes{t.name: {Keys: keys,
				ConsistentRead: &consistent}},
			ReturnConsumedCapacity: total,
		}
		out, err := metered(ctx, t, "the items", unitsOfItem*float64(len(keys)), func() (*dynamodb.BatchGetItemOutput, error) {
			return ask(ctx, t, newCall(BatchGetItem, keys[0]), t.api.BatchGetItem, in)
		})
		if err != nil {
			return err
		}
		for _, it := range out.Responses[t.name] {
			if err := found(it); err != nil {
				return err
			}
		}
		if keys = out.UnprocessedKeys[t.name].Keys; len(keys) == 0 {
			return nil
		}
		if !t.o.Budget.again(ctx, pause) {
			return Failed("read all of the items", errLeftOut)
		}
	}
}
