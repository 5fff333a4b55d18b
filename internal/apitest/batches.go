package apitest

import (
	"context"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
)

// Batches counts the batches that a store reads, which loaders are there to save.
type Batches struct {
	store.API

	mu   sync.Mutex
	keys []int // of each BatchGetItem
}

// BatchGetItem is part of store.API.
func (b *Batches) BatchGetItem(
	ctx context.Context, in *dynamodb.BatchGetItemInput, o ...func(*dynamodb.Options),
) (*dynamodb.BatchGetItemOutput, error) {
	b.mu.Lock()
	for _, keys := range in.RequestItems {
		b.keys = append(b.keys, len(keys.Keys))
	}
	b.mu.Unlock()
	return b.API.BatchGetItem(ctx, in, o...)
}

// Take returns how many keys each batch had since the last call.
func (b *Batches) Take() []int {
	b.mu.Lock()
	defer b.mu.Unlock()
	taken := b.keys
	b.keys = nil
	return taken
}

// Fewest returns the batches that requests read, of the try with the fewest: loaders wait
// for moments, and what comes later on a busy machine is read in a batch of its own.
func (b *Batches) Fewest(request func()) (fewest []int) {
	for try := 0; try == 0 || try < 10 && len(fewest) > 1; try++ {
		b.Take()
		request()
		if got := b.Take(); try == 0 || len(got) < len(fewest) {
			fewest = got
		}
	}
	return fewest
}
