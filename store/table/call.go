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
type Operation string

// The operations that this package calls, as DynamoDB spells them.
const (
	GetItem            Operation = "GetItem"
	PutItem            Operation = "PutItem"
	UpdateItem         Operation = "UpdateItem"
	DeleteItem         Operation = "DeleteItem"
	QueryItems         Operation = "Query"
	ScanItems          Operation = "Scan"
	BatchGetItem       Operation = "BatchGetItem"
	TransactWriteItems Operation = "TransactWriteItems"
	DescribeTable      Operation = "DescribeTable"
	CreateTable        Operation = "CreateTable"
	UpdateTimeToLive   Operation = "UpdateTimeToLive"
)

// String returns the operation's name.
func (o Operation) String() string { return string(o) }

// Result is the outcome of a call.
type Result uint8

// The outcomes of a call.
const (
	Answered    Result = iota // success
	ConditionNo               // a condition of a write failed
	Throttled                 // nothing was done, and the call may be retried: throttling, a transaction conflict
	Rested                    // the call was not made, since the store rests; see Budget
	Down                      // the store is unreachable or broken, or the table does not exist
	TimedOut                  // the caller's deadline passed
	Canceled                  // the caller canceled the call
	Wrong                     // the store rejected the call, which is a bug of this program
	Results                   // the number of results
)

var resultNames = [Results]string{"ok", "condition", "throttled", "resting", "unavailable", "timeout", "canceled",
	"error"}

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

// Call is one call of DynamoDB's client, including the client's own retries. It contains no
// content of items.
type Call struct {
	Operation Operation
	Access    key.Access
	Index     key.Index // the index that was read; key.Columns for the attribute index, key.Table for the table
	Began     time.Time
	Took      time.Duration
	Result    Result
	// Read and Written are the capacity units in the store's answer. For a transaction or
	// batch, Access is the access of the first item.
	Read, Written float64
	// InIndexes are the units of Written that indexes consumed, key.Columns included; nil if
	// the store did not report them.
	InIndexes map[string]types.Capacity
	// Throttles are the throttled resources with the reasons, if the store reported them.
	Throttles []Throttle
}

// Observer receives calls after they ended, concurrently. It must not block or keep the call's
// maps.
type Observer interface {
	Called(context.Context, Call)
}

// consumedBy adds the consumed capacity of responses.
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

// divide adds the units that indexes consumed.
func (c *Call) divide(more map[string]types.Capacity) {
	if c.InIndexes == nil {
		c.InIndexes = more
		return
	}
	c.InIndexes = maps.Clone(c.InIndexes)
	maps.Copy(c.InIndexes, more)
}

// newCall returns a call about an item.
func newCall(o Operation, primary Item) Call {
	c := Call{Operation: o, Access: key.AccessOf(key.Table, Text(primary, key.PK), Text(primary, key.SK))}
	if o == DeleteItem && c.Access == key.AccessComment {
		c.Access = key.AccessDelete
	}
	return c
}

// ask makes a call and reports it to the table's observer.
func ask[In, Out any](
	ctx context.Context, t *Table, c Call, call func(context.Context, In, ...func(*dynamodb.Options)) (Out, error),
	in In,
) (Out, error) {
	c.Began = time.Now()
	out, err := call(ctx, in)
	c.Took = time.Since(c.Began)
	if err == nil {
		c.consumedBy(consumedOf(out))
		Wrote(ctx, c.Written)
	}
	if t.o.Observer == nil {
		return out, err
	}
	c.Result, c.Throttles = resultOf(err), throttles(err)
	t.o.Observer.Called(ctx, c)
	return out, err
}

// consumedOf returns the consumed capacity in a DynamoDB response.
func consumedOf(answer any) []types.ConsumedCapacity {
	field := reflect.ValueOf(answer).Elem().FieldByName("ConsumedCapacity")
	if !field.IsValid() { // a call about the whole table has none
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

// units returns the capacity units in a DynamoDB response.
func units(answer any) (sum float64) {
	for _, c := range consumedOf(answer) {
		sum += aws.ToFloat64(c.CapacityUnits)
	}
	return sum
}
