package stream_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"product-comments/store"
)

// faulty is a table whose transactions fail as DynamoDB's can and the engines'
// do not.
type faulty struct {
	store.API
	often float64 // how often each of the faults happens, 0 to 1/3

	mu     sync.Mutex
	random *rand.Rand
	faults int // that happened
}

func (f *faulty) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	f.mu.Lock()
	dice := f.random.Float64()
	if dice < 3*f.often {
		f.faults++
	}
	f.mu.Unlock()
	switch {
	case dice < f.often:
		if _, err := f.API.TransactWriteItems(ctx, in, o...); err != nil {
			return nil, err
		}
		return nil, &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "TransactWriteItems", Err: errors.New("the answer was lost")}
	case dice < 2*f.often:
		reasons := make([]types.CancellationReason, len(in.TransactItems))
		for i := range reasons {
			reasons[i].Code = aws.String("None")
		}
		reasons[0].Code = aws.String("TransactionConflict")
		return nil, &types.TransactionCanceledException{CancellationReasons: reasons}
	case dice < 3*f.often:
		return nil, &types.ProvisionedThroughputExceededException{Message: aws.String("too fast")}
	}
	return f.API.TransactWriteItems(ctx, in, o...)
}

func (f *faulty) happened() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faults
}

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
