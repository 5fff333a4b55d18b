// Package table is the only access to DynamoDB: it gets, queries, scans and writes items of one
// table and of the table of its attribute index, independent of their meaning. All methods that
// call DynamoDB return an Unavailable error if it does not answer.
//
// All retries follow one rule. DynamoDB's client retries calls without an answer, and throttled
// calls, a few times. Beyond that this package retries writes, and the reads of long work, if
// DynamoDB did nothing and asked to come back later: throttling, a conflict with another
// transaction, or unprocessed parts of a batch. So a retry is safe; it waits for a growing,
// random pause, until the caller's deadline. A read that a visitor waits for is not retried. A
// call whose answer was lost is not retried here, since the write may have taken effect: the
// caller gets Unavailable. One Budget pays for all retries, the client's included, so retries
// do not multiply the load of an outage.
package table

import (
	"cmp"
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// API is the part of the DynamoDB client that the package uses.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput,
		error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput,
		error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput,
		...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput,
		...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput,
		error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput,
		...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// Options configure a table. The zero value is ready for use.
type Options struct {
	Timeout time.Duration    // bounds one operation with all its retries; 5 seconds if zero
	Now     func() time.Time // the clock; time.Now if nil
	Random  *Random          // for pauses, revisions and ids; the process's own if nil
	// Observer receives each call; nil for none, which costs nothing.
	Observer Observer
	Budget   *Budget // of retries, shared with the client; a separate one if nil
}

// Table is one table of DynamoDB. It is safe for concurrent use.
type Table struct {
	api     API
	name    string
	columns *Table // the table of the attribute index, see Columns; nil in that table
	o       Options
	guard   func(context.Context) error       // see Guard; may be nil
	serving atomic.Pointer[map[string]string] // names of the indexes that serve as the design's, set by Ensure
}

// New returns the table of a name. Ensure checks or creates it.
func New(api API, name string, o Options) *Table {
	if client, ok := api.(*dynamodb.Client); ok {
		api = newReader(client)
	}
	o.Timeout, o.Random = cmp.Or(o.Timeout, 5*time.Second), cmp.Or(o.Random, &Random{})
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Budget = cmp.Or(o.Budget, NewBudget(o.Now))
	return &Table{api: api, name: name, o: o, columns: &Table{api: api, name: ColumnsName(name), o: o}}
}

// Guard makes every write of the table call allow first, and fail with its error. Call it
// before the table is used; allow must not write.
func (t *Table) Guard(allow func(context.Context) error) { t.guard, t.columns.guard = allow, allow }

type readOnlyKey struct{}

var errReadOnly = errors.New("the context allows no writes")

// ReadOnly returns a context in which every write fails.
func ReadOnly(ctx context.Context) context.Context {
	return context.WithValue(ctx, readOnlyKey{}, true)
}

// allowed returns the error of the guard, nil if writes are allowed.
func (t *Table) allowed(ctx context.Context) error {
	if ctx.Value(readOnlyKey{}) != nil {
		return errReadOnly
	}
	if t.guard == nil {
		return nil
	}
	return t.guard(ctx)
}

// ColumnsName returns the name of the table of a main table's attribute index, key.Columns.
func ColumnsName(main string) string { return main + "-" + key.Columns.Name }

// Columns returns the table of the attribute index, key.Columns. Queries and transactions of the
// main table reach it too.
func (t *Table) Columns() *Table { return t.columns }

// nameOf returns the name of the table that holds an index.
func (t *Table) nameOf(in key.Index) *string {
	if in.Apart() && t.columns != nil {
		return &t.columns.name
	}
	return &t.name
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// Now returns the time of the table's clock.
func (t *Table) Now() time.Time { return t.o.Now() }

// Clock returns the table's clock.
func (t *Table) Clock() func() time.Time { return t.o.Now }

// Random returns the table's source of random numbers.
func (t *Table) Random() *Random { return t.o.Random }

// Budget returns the retry budget of the table.
func (t *Table) Budget() *Budget { return t.o.Budget }

// Timeout returns the longest time of one operation.
func (t *Table) Timeout() time.Duration { return t.o.Timeout }

// Deadline returns a context that ends after the table's timeout, or earlier if ctx does.
func (t *Table) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, t.o.Timeout)
}

const total = types.ReturnConsumedCapacityTotal
