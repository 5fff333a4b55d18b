package store_test

import (
	"context"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
	"product-comments/store/key"
	"product-comments/store/storetest"
	"product-comments/store/table"
)

// partitionOf returns the partition key of an item, or of a key.
func partitionOf(of map[string]types.AttributeValue) string {
	return table.Text(of, key.PK)
}

// writes reports whether a call writes.
func writes(in any) bool {
	switch in.(type) {
	case *dynamodb.PutItemInput, *dynamodb.UpdateItemInput, *dynamodb.DeleteItemInput, *dynamodb.TransactWriteItemsInput:
		return true
	}
	return false
}

// beforeWrites returns a client that does something before each of its writes.
func beforeWrites(api store.API, do func()) store.API {
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if writes(in) {
			do()
		}
		_, err := call(ctx)
		return err
	}}
}

// afterWrites returns a client that does something after each of its writes.
func afterWrites(api store.API, do func()) store.API {
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		_, err := call(ctx)
		if writes(in) {
			do()
		}
		return err
	}}
}

// beforeTransactions returns a client that does something before each of its transactions.
func beforeTransactions(api store.API, do func()) *storetest.Calls {
	return storetest.Before(api, func(context.Context, *dynamodb.TransactWriteItemsInput) { do() })
}

// afterTransactions returns a client that does something after each of its transactions
// that succeed.
func afterTransactions(api store.API, do func()) *storetest.Calls {
	return storetest.After(api, func(context.Context, *dynamodb.TransactWriteItemsInput) { do() })
}

// afterReads returns a client that does something after its first read of a comment.
func afterReads(api store.API, do func()) store.API {
	do = sync.OnceFunc(do)
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		out, err := call(ctx)
		var read []map[string]types.AttributeValue
		switch in := in.(type) {
		case *dynamodb.GetItemInput:
			read = append(read, in.Key)
		case *dynamodb.BatchGetItemInput:
			for _, of := range in.RequestItems {
				read = append(read, of.Keys...)
			}
		case *dynamodb.ScanInput:
			if in.IndexName == nil && err == nil {
				read = out.(*dynamodb.ScanOutput).Items
			}
		}
		for _, it := range read {
			if strings.HasPrefix(partitionOf(it), key.Comment("")) {
				do()
			}
		}
		return err
	}}
}

// refusing returns a client whose next writes of single items are refused for reasons that
// pass. A caller that changes them must make no calls in the meantime.
func refusing(api store.API, refusals *[]error) *storetest.Calls {
	var mu sync.Mutex
	next := func() (err error) {
		mu.Lock()
		defer mu.Unlock()
		if len(*refusals) > 0 {
			err, *refusals = (*refusals)[0], (*refusals)[1:]
		}
		return err
	}
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		if _, transacts := in.(*dynamodb.TransactWriteItemsInput); !transacts && writes(in) {
			if err := next(); err != nil {
				return err
			}
		}
		_, err := call(ctx)
		return err
	}}
}

// denying returns a client some of whose transactions end as if they were cancelled for a
// reason, although they took effect: those after which it denies.
func denying(api store.API, reason string, denies func() bool) *storetest.Calls {
	return &storetest.Calls{API: api, Do: func(ctx context.Context, in any, call storetest.Call) error {
		_, err := call(ctx)
		if _, transacts := in.(*dynamodb.TransactWriteItemsInput); transacts && err == nil && denies() {
			err = &types.TransactionCanceledException{CancellationReasons: []types.CancellationReason{{Code: &reason}}}
		}
		return err
	}}
}

// losing loses the answers of the next writes: as the SDK does then, it makes them again.
type losing struct {
	storetest.Calls
	lose    int
	between func() // before a write is made again; nil for nothing
}

func newLosing(api store.API) *losing {
	l := &losing{}
	l.API, l.Do = api, func(ctx context.Context, in any, call storetest.Call) error {
		if writes(in) && l.lose > 0 {
			l.lose--
			if _, err := call(ctx); err != nil {
				return err
			}
			if transaction, ok := in.(*dynamodb.TransactWriteItemsInput); ok {
				transaction.ClientRequestToken = nil // each of the SDK's calls has one of its own
			}
			if l.between != nil {
				l.between()
			}
		}
		_, err := call(ctx)
		return err
	}
	return l
}
