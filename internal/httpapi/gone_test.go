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

// failing is a table whose client fails with an unknown error, or panics if err is nil.
type failing struct {
	store.API
	err error
}

func (f failing) Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	if f.err == nil {
		panic("secret cause")
	}
	return nil, f.err
}

// slow is a table that answers only after the caller has given up.
type slow struct{ store.API }

func (slow) Query(ctx context.Context, _ *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}
