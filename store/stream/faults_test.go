package stream_test

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store"
)

// held is a table whose transactions wait until it is released.
type held struct {
	store.API
	entered chan struct{} // gets one for each transaction that waits
	release chan struct{} // closed to let them go on
}

func (h *held) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	select {
	case h.entered <- struct{}{}:
	default:
	}
	select {
	case <-h.release:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return h.API.TransactWriteItems(ctx, in, o...)
}
