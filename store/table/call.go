package table

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// Operation is an operation of DynamoDB.
type Operation uint8

// The operations that this package calls.
const (
	GetItem Operation = iota
	PutItem
	UpdateItem
	DeleteItem
	QueryItems
	ScanItems
	BatchGetItem
	BatchWriteItem
	TransactWriteItems
	DescribeTable
	CreateTable
	UpdateTimeToLive
	Operations // how many there are
)

var operationNames = [Operations]string{
	"GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan", "BatchGetItem", "BatchWriteItem",
	"TransactWriteItems", "DescribeTable", "CreateTable", "UpdateTimeToLive",
}

// String returns the operation's name, as DynamoDB spells it.
func (o Operation) String() string { return operationNames[o] }

// Result is how a call ended.
type Result uint8

// The ways in which a call ends.
const (
	Answered    Result = iota // as it was meant
	ConditionNo               // a condition of a write did not hold
	Throttled                 // nothing was done, and the store asks to try again later: throttling, a conflict
	Rested                    // the call was not made, since the store has answered nothing for a while
	Down                      // the store is unreachable, broken or not there
	TimedOut                  // the caller's time was over
	Canceled                  // the caller left
	Wrong                     // the store refused the call, which is a fault of ours
	Results                   // how many there are
)

var resultNames = [Results]string{"ok", "condition", "throttled", "resting", "unavailable", "timeout", "canceled", "error"}

// String returns the result's name.
func (r Result) String() string { return resultNames[r] }

// resultOf classifies the error of a call.
func resultOf(err error) Result {
	var condition *types.ConditionalCheckFailedException
	switch {
	case err == nil:
		return Answered
	case errors.As(err, &condition), refusedTransaction(err):
		return ConditionNo
	case errors.Is(err, context.DeadlineExceeded):
		return TimedOut
	case errors.Is(err, context.Canceled):
		return Canceled
	case IsResting(err):
		return Rested
	case isLater(err):
		return Throttled
	case unavailable(err):
		return Down
	}
	return Wrong
}

// Call is one call of DynamoDB's client, with the repetitions that the client
// makes by itself. It holds nothing of what the items say.
type Call struct {
	Operation Operation
	Access    key.Access
	Index     key.Index // that was queried or scanned, key.Columns for its table, else the table
	Began     time.Time
	Took      time.Duration
	Result    Result
	// Read and Written are capacity units, as the store answered. Of a transaction
	// or batch that is for several purposes the first tells the Access of all.
	Read, Written float64
	// InIndexes are those units of Written that were for indexes, key.Columns among
	// them; nil if the store did not divide them.
	InIndexes map[string]types.Capacity
	// Throttles say what was throttled and why, where the store says it.
	Throttles []Throttle
}

// Observer receives calls after they ended, by several goroutines at once. It
// must not keep the call's maps, nor wait for anything.
type Observer interface {
	Called(context.Context, Call)
}

// consumedBy adds up what answers consumed.
func (c *Call) consumedBy(all []types.ConsumedCapacity) {
	for i := range all {
		units := aws.ToFloat64(all[i].CapacityUnits)
		switch c.Operation {
		case GetItem, QueryItems, ScanItems, BatchGetItem:
			c.Read += units
		default:
			c.Written += units
			if strings.HasSuffix(aws.ToString(all[i].TableName), ColumnsName("")) {
				c.divide(map[string]types.Capacity{key.Columns.Name: {CapacityUnits: &units}})
			} else {
				c.divide(all[i].GlobalSecondaryIndexes)
			}
		}
	}
}

// divide notes which units were for indexes.
func (c *Call) divide(more map[string]types.Capacity) {
	if c.InIndexes == nil {
		c.InIndexes = more
		return
	}
	c.InIndexes = maps.Clone(c.InIndexes)
	maps.Copy(c.InIndexes, more)
}

// newCall returns a call that is about an item.
func newCall(o Operation, primary Item) Call {
	c := Call{Operation: o, Access: key.AccessOf(key.Table, Text(primary, key.PK), Text(primary, key.SK))}
	if o == DeleteItem && c.Access == key.AccessComment {
		c.Access = key.AccessDelete
	}
	return c
}

// ask makes a call, and tells the table's observer of it.
func ask[In, Out any](
	ctx context.Context, t *Table, c Call, call func(context.Context, In, ...func(*dynamodb.Options)) (Out, error), in In, o ...func(*dynamodb.Options),
) (Out, error) {
	c.Began = time.Now()
	out, err := call(ctx, in, o...)
	if t.observer == nil {
		return out, err
	}
	c.Took = time.Since(c.Began)
	c.Result, c.Throttles = resultOf(err), throttles(err)
	if err == nil {
		c.consumedBy(consumedOf(out))
	}
	t.observer.Called(ctx, c)
	return out, err
}

// consumedOf returns what an answer of DynamoDB says that the call consumed.
func consumedOf(answer any) []types.ConsumedCapacity {
	field := reflect.ValueOf(answer).Elem().FieldByName("ConsumedCapacity")
	if !field.IsValid() { // of a call about the table as a whole
		return nil
	}
	switch consumed := field.Interface().(type) {
	case []types.ConsumedCapacity:
		return consumed
	case *types.ConsumedCapacity:
		if consumed != nil {
			return []types.ConsumedCapacity{*consumed}
		}
	}
	return nil
}

// units returns the capacity units that an answer says that the call consumed.
func units(answer any) (sum float64) {
	for _, c := range consumedOf(answer) {
		sum += aws.ToFloat64(c.CapacityUnits)
	}
	return sum
}
