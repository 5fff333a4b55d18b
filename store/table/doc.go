// Package table is the one way to DynamoDB: it gets, queries, scans and writes
// items of one table and of its columns table, and knows nothing of what they mean.
//
// There is one rule for what is tried again. DynamoDB's client repeats calls
// that were not answered, or answered with throttling, a few times. Beyond that
// this package repeats writes, and the reads of long work, that DynamoDB answered
// with "later": throttling, a conflict with a transaction under way, and the
// parts of a batch that were left out. Nothing was done then, so a repetition is
// safe; it waits for a growing, random pause and ends with the caller's deadline.
// A read that a visitor waits for is not repeated. An answer that was lost is never
// repeated here, since the write may have taken effect: the caller learns
// Unavailable. All repetitions, also the client's, are paid from one Budget, so
// that an outage is not multiplied.
package table

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// API is what the package uses of the DynamoDB client.
type API interface {
	GetItem(context.Context, *dynamodb.GetItemInput, ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)
	Scan(context.Context, *dynamodb.ScanInput, ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	TransactWriteItems(context.Context, *dynamodb.TransactWriteItemsInput, ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
}

// Options change how a table is reached. The zero value is ready for use.
type Options struct {
	Timeout time.Duration    // of one verb with all its retries; 5 seconds if zero
	Now     func() time.Time // the clock; time.Now if nil
	Random  *Random          // of pauses, revisions and ids; the process's own if nil
	// Observer receives each call; nil for none, which costs nothing.
	Observer Observer
	Budget   *Budget // of repetitions, shared with the client; one of its own if nil
}

// Table is one table of DynamoDB. It is safe for concurrent use.
type Table struct {
	api     API
	name    string
	columns *Table // its columns table, see Columns; nil for that one itself
	timeout time.Duration
	now     func() time.Time
	random  *Random
	budget  *Budget
	// observer receives each call, nil for none; writes then say by weighed what
	// they consume, by index.
	observer Observer
	weighed  types.ReturnConsumedCapacity
	guard    func(context.Context) error       // see Guard; may be nil
	serving  atomic.Pointer[map[string]string] // index of the design to that which serves as it, since Ensure
}

// New returns the table of a name. Ensure checks or makes it.
func New(api API, name string, o Options) *Table {
	t := &Table{api: api, name: name, timeout: cmp.Or(o.Timeout, 5*time.Second), now: o.Now, random: o.Random, budget: o.Budget}
	if t.now == nil {
		t.now = time.Now
	}
	if t.random == nil {
		t.random = &Random{}
	}
	if t.budget == nil {
		t.budget = NewBudget(t.now)
	}
	if o.Observer != nil {
		t.observer, t.weighed = o.Observer, types.ReturnConsumedCapacityIndexes
	}
	t.columns = &Table{
		api: t.api, name: ColumnsName(name), timeout: t.timeout, now: t.now, random: t.random, budget: t.budget, observer: t.observer, weighed: t.weighed,
	}
	return t
}

// Guard makes every write of the table wait for what allows it, and fail with its error.
// It must be called before the table is used, and must not write.
func (t *Table) Guard(allow func(context.Context) error) { t.guard, t.columns.guard = allow, allow }

// allowed returns why nothing must be written to the table, nil if that is allowed.
func (t *Table) allowed(ctx context.Context) error {
	if t.guard == nil {
		return nil
	}
	return t.guard(ctx)
}

// ColumnsName is the name of the table that holds key.Columns, next to the main one.
func ColumnsName(main string) string { return main + "-" + key.Columns.Name }

// Columns returns the table that holds key.Columns, next to this one. Queries and
// the parts of a transaction reach it from this one, too.
func (t *Table) Columns() *Table { return t.columns }

// nameOf is the name of the table that holds an index.
func (t *Table) nameOf(in key.Index) *string {
	if in.Apart() && t.columns != nil {
		return &t.columns.name
	}
	return &t.name
}

// Name returns the table's name.
func (t *Table) Name() string { return t.name }

// Now returns the time by the table's clock.
func (t *Table) Now() time.Time { return t.now() }

// Clock returns the table's clock.
func (t *Table) Clock() func() time.Time { return t.now }

// Random returns the table's source of random numbers.
func (t *Table) Random() *Random { return t.random }

// Budget returns what pays for the table's repetitions.
func (t *Table) Budget() *Budget { return t.budget }

// Timeout returns the longest that one verb takes.
func (t *Table) Timeout() time.Duration { return t.timeout }

// Deadline bounds a verb: none waits longer than the table's timeout, nor than
// the caller's own deadline.
func (t *Table) Deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, t.timeout)
}

const total = types.ReturnConsumedCapacityTotal
