package storetest

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"product-comments/store/table"
)

// Call makes a call and returns its answer, such as a *dynamodb.GetItemOutput.
type Call = func(context.Context) (out any, err error)

// Calls is a client that lets a test intercept its calls.
type Calls struct {
	API table.API
	// Do replaces each call if it is not nil. It gets the input, such as a *dynamodb.GetItemInput,
	// and decides whether to make the call. It may alter the answer. Its error is the error of the
	// call.
	Do func(ctx context.Context, in any, call Call) error
}

// Before returns a client that calls do before each call with an input of a type, such as
// *dynamodb.GetItemInput.
func Before[In any](api table.API, do func(context.Context, In)) *Calls {
	return &Calls{API: api, Do: func(ctx context.Context, in any, call Call) error {
		if in, ok := in.(In); ok {
			do(ctx, in)
		}
		_, err := call(ctx)
		return err
	}}
}

// After returns a client that calls do after each successful call with an input of a type.
func After[In any](api table.API, do func(context.Context, In)) *Calls {
	return &Calls{API: api, Do: func(ctx context.Context, in any, call Call) error {
		_, err := call(ctx)
		if in, ok := in.(In); ok && err == nil {
			do(ctx, in)
		}
		return err
	}}
}

type options = []func(*dynamodb.Options)

func through[In, Out any](ctx context.Context, c *Calls,
	call func(context.Context, *In, ...func(*dynamodb.Options)) (*Out, error), in *In, o options) (*Out, error) {
	if c.Do == nil {
		return call(ctx, in, o...)
	}
	var out *Out
	err := c.Do(ctx, in, func(ctx context.Context) (_ any, err error) {
		out, err = call(ctx, in, o...)
		return out, err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// GetItem and the other calls implement table.API.
func (c *Calls) GetItem(ctx context.Context, in *dynamodb.GetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return through(ctx, c, c.API.GetItem, in, o)
}

func (c *Calls) PutItem(ctx context.Context, in *dynamodb.PutItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	return through(ctx, c, c.API.PutItem, in, o)
}

func (c *Calls) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return through(ctx, c, c.API.UpdateItem, in, o)
}

func (c *Calls) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	return through(ctx, c, c.API.DeleteItem, in, o)
}

func (c *Calls) Query(ctx context.Context, in *dynamodb.QueryInput,
	o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return through(ctx, c, c.API.Query, in, o)
}

func (c *Calls) Scan(ctx context.Context, in *dynamodb.ScanInput,
	o ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	return through(ctx, c, c.API.Scan, in, o)
}

func (c *Calls) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput,
	o ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return through(ctx, c, c.API.BatchGetItem, in, o)
}

func (c *Calls) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput,
	o ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return through(ctx, c, c.API.TransactWriteItems, in, o)
}

func (c *Calls) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput,
	o ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	return through(ctx, c, c.API.DescribeTable, in, o)
}

func (c *Calls) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput,
	o ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	return through(ctx, c, c.API.CreateTable, in, o)
}

func (c *Calls) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput,
	o ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	return through(ctx, c, c.API.UpdateTimeToLive, in, o)
}
