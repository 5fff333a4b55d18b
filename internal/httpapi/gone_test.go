package httpapi_test

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store"
)

// gone is a table that refuses every read as throttled.
type gone struct{ store.API }

var errGone = errors.Join(&types.ProvisionedThroughputExceededException{})

func (gone) GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return nil, errGone
}

func (gone) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return nil, errGone
}

// untilLeft holds a query until its caller has given up.
func untilLeft(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// panicking ends a query with a fault.
func panicking(context.Context) error { panic("secret cause") }

// waiting is a table whose queries wait, and what lets them go.
func waiting() (table *empty, letGo func()) {
	hold := make(chan struct{})
	return &empty{hold: func(ctx context.Context) error {
		select {
		case <-hold:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}}, func() { close(hold) }
}
