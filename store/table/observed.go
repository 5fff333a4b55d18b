package table

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// observed tells an observer of every call of a client. Writes are made to say
// what they consume, which they do not if nobody wants to know.
type observed struct {
	API
	observer Observer
}

// weighed makes writes say what they consume, by index.
const weighed = types.ReturnConsumedCapacityIndexes

func (o *observed) tell(ctx context.Context, c Call, err error) {
	c.Took = time.Since(c.Began)
	c.Result, c.Throttles = resultOf(err), throttles(err)
	o.observer.Called(ctx, c)
}

func newCall(op Operation) Call { return Call{Operation: op, Began: time.Now()} }

func (o *observed) GetItem(ctx context.Context, in *dynamodb.GetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	c := newCall(GetItem)
	c.of(in.Key)
	out, err := o.API.GetItem(ctx, in, options...)
	if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) PutItem(ctx context.Context, in *dynamodb.PutItemInput, options ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error) {
	c := newCall(PutItem)
	c.of(in.Item)
	in.ReturnConsumedCapacity = weighed
	out, err := o.API.PutItem(ctx, in, options...)
	if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	c := newCall(UpdateItem)
	c.of(in.Key)
	in.ReturnConsumedCapacity = weighed
	out, err := o.API.UpdateItem(ctx, in, options...)
	if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) DeleteItem(ctx context.Context, in *dynamodb.DeleteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error) {
	c := newCall(DeleteItem)
	c.of(in.Key)
	in.ReturnConsumedCapacity = weighed
	out, err := o.API.DeleteItem(ctx, in, options...)
	if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) Query(ctx context.Context, in *dynamodb.QueryInput, options ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	c := newCall(QueryItems)
	c.Index = indexOf(in.IndexName)
	c.Access = key.AccessOf(c.Index, Text(in.ExpressionAttributeValues, partitionValue), "")
	if c.Access == key.AccessColumns {
		c.Index = key.Columns
	}
	out, err := o.API.Query(ctx, in, options...)
	if answer, _ := ctx.Value(answerKey{}).(*decodedAnswer); err == nil && answer != nil && answer.done {
		c.Read = answer.Units
	} else if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) Scan(ctx context.Context, in *dynamodb.ScanInput, options ...func(*dynamodb.Options)) (*dynamodb.ScanOutput, error) {
	c := newCall(ScanItems)
	c.Index, c.Access = indexOf(in.IndexName), key.AccessScan
	out, err := o.API.Scan(ctx, in, options...)
	if err == nil && out.ConsumedCapacity != nil {
		c.consumedBy(*out.ConsumedCapacity)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	c := newCall(BatchGetItem)
	for _, of := range in.RequestItems {
		if len(of.Keys) > 0 {
			c.of(of.Keys[0])
		}
	}
	out, err := o.API.BatchGetItem(ctx, in, options...)
	if err == nil {
		c.consumedBy(out.ConsumedCapacity...)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) BatchWriteItem(ctx context.Context, in *dynamodb.BatchWriteItemInput, options ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error) {
	c := newCall(BatchWriteItem)
	for _, of := range in.RequestItems {
		switch {
		case len(of) > 0 && of[0].PutRequest != nil:
			c.of(of[0].PutRequest.Item)
		case len(of) > 0 && of[0].DeleteRequest != nil:
			c.of(of[0].DeleteRequest.Key)
		}
	}
	in.ReturnConsumedCapacity = weighed
	out, err := o.API.BatchWriteItem(ctx, in, options...)
	if err == nil {
		c.consumedBy(out.ConsumedCapacity...)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, options ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	c := newCall(TransactWriteItems)
	if len(in.TransactItems) > 0 {
		switch w := in.TransactItems[0]; {
		case w.Put != nil:
			c.of(w.Put.Item)
		case w.Update != nil:
			c.of(w.Update.Key)
		case w.Delete != nil:
			c.of(w.Delete.Key)
		case w.ConditionCheck != nil:
			c.of(w.ConditionCheck.Key)
		}
	}
	in.ReturnConsumedCapacity = weighed
	out, err := o.API.TransactWriteItems(ctx, in, options...)
	if err == nil {
		c.consumedBy(out.ConsumedCapacity...)
	}
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) DescribeTable(ctx context.Context, in *dynamodb.DescribeTableInput, options ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error) {
	c := newCall(DescribeTable)
	out, err := o.API.DescribeTable(ctx, in, options...)
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) CreateTable(ctx context.Context, in *dynamodb.CreateTableInput, options ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error) {
	c := newCall(CreateTable)
	out, err := o.API.CreateTable(ctx, in, options...)
	o.tell(ctx, c, err)
	return out, err
}

func (o *observed) UpdateTimeToLive(ctx context.Context, in *dynamodb.UpdateTimeToLiveInput, options ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error) {
	c := newCall(UpdateTimeToLive)
	out, err := o.API.UpdateTimeToLive(ctx, in, options...)
	o.tell(ctx, c, err)
	return out, err
}

// indexOf returns the index of a name, the table itself for none.
func indexOf(name *string) key.Index {
	if name == nil {
		return key.Table
	}
	for _, index := range key.Indexes {
		if index.Name == *name {
			return index
		}
	}
	return key.Index{Name: aws.ToString(name)}
}
