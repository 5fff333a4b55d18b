package table

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/store/key"
)

// weighed makes writes return their consumed capacity by index.
const weighed = types.ReturnConsumedCapacityIndexes

// Write is a change of one item, by itself or as a part of a transaction: it
// puts a whole item, or updates, deletes or only checks the one with a key.
type Write struct {
	In  key.Index // key.Columns for an item of the attribute index, otherwise the table itself
	Put Item      // the whole item; nil for other changes

	Key    Item
	Update string // an update expression; if empty and Delete is not set, the write only checks the condition
	Delete bool

	If     string // condition expression; empty for none
	Names  map[string]string
	Values Item
}

// Item names the item that is written, across both tables.
func (w Write) Item() string {
	it := w.item()
	pk := Text(it, key.PK)
	return w.In.Name + strconv.Itoa(len(pk)) + pk + textOf(it, key.SK)
}

// item returns the item that is written, or its key.
func (w Write) item() Item {
	if w.Put != nil {
		return w.Put
	}
	return w.Key
}

// Refused is the error of a write whose condition failed.
type Refused struct {
	// Item is the stored item, nil if there is none. It is always nil for a transaction.
	Item Item
}

func (*Refused) Error() string { return "the condition of a write did not hold" }

// IsRefused reports whether a write's condition failed, and returns the stored item, nil if
// there is none.
func IsRefused(err error) (Item, bool) {
	var refused *Refused
	if errors.As(err, &refused) {
		return refused.Item, true
	}
	return nil, false
}

// Write makes a change of one item. Error messages use what to name the write. It returns a Refused
// error if the condition failed, also when the client's own retry finds the result of the first
// attempt. After an Unavailable error the write may or may not have taken effect.
func (t *Table) Write(ctx context.Context, what string, w Write) error {
	_, err := t.write(ctx, what, w, types.ReturnValueNone)
	return err
}

// Note replaces an item that records progress, if its revision, an attribute of type N, is
// still before; 0 means that there is no item. It returns the new revision, which is random, so
// that Note recognizes its own write after its answer was lost. ok is false if another process
// has written the item since.
func (t *Table) Note(ctx context.Context, what string, it Item, attribute string,
	before int) (revision int, ok bool, err error) {
	revision = t.o.Random.NextRevision(0)
	it[attribute] = N(revision)
	err = t.Write(ctx, what, Write{Put: it}.IfRevision(attribute, before))
	if theirs, refused := IsRefused(err); refused {
		return revision, SameValue(theirs[attribute], it[attribute]), nil
	}
	return revision, err == nil, err
}

// Remove deletes an item and returns it, nil if there was none.
func (t *Table) Remove(ctx context.Context, what string, primary Item) (Item, error) {
	return t.write(ctx, what, Write{Key: primary, Delete: true}, types.ReturnValueAllOld)
}

func (t *Table) write(ctx context.Context, what string, w Write, values types.ReturnValue) (Item, error) {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	if err := t.allowed(ctx); err != nil {
		return nil, err
	}
	old, err := repeat(ctx, t, func() (Item, error) { return t.writeOnce(ctx, w, values) })
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return nil, &Refused{Item: failed.Item}
	}
	return old, Failed(what, err)
}

func (t *Table) writeOnce(ctx context.Context, w Write, values types.ReturnValue) (Item, error) {
	const onFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	var condition *string
	var inspect types.ReturnValuesOnConditionCheckFailure
	if w.If != "" {
		condition, inspect = &w.If, onFailure
	}
	switch {
	case w.Put != nil:
		_, err := ask(ctx, t, newCall(PutItem, w.Put), t.api.PutItem, &dynamodb.PutItemInput{
			TableName: t.nameOf(w.In), Item: w.Put, ConditionExpression: condition,
			ReturnValuesOnConditionCheckFailure: inspect,
			ReturnConsumedCapacity:              weighed, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		})
		return nil, err
	case w.Update != "":
		_, err := ask(ctx, t, newCall(UpdateItem, w.Key), t.api.UpdateItem, &dynamodb.UpdateItemInput{
			TableName: t.nameOf(w.In), Key: w.Key, UpdateExpression: &w.Update, ConditionExpression: condition,
			ReturnValuesOnConditionCheckFailure: inspect,
			ReturnConsumedCapacity:              weighed, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		})
		return nil, err
	case w.Delete:
		out, err := ask(ctx, t, newCall(DeleteItem, w.Key), t.api.DeleteItem, &dynamodb.DeleteItemInput{
			TableName: t.nameOf(w.In), Key: w.Key, ConditionExpression: condition,
			ReturnValuesOnConditionCheckFailure: inspect,
			ReturnConsumedCapacity:              weighed, ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
			ReturnValues: values,
		})
		if err != nil || len(out.Attributes) == 0 {
			return nil, err
		}
		return out.Attributes, nil
	}
	return nil, fmt.Errorf("a single write must change something")
}

// MaxItems is the maximum number of items in one transaction.
const MaxItems = 100

// MaxBytes bounds the items of one transaction: DynamoDB allows 4 MB, keys and conditions included.
const MaxBytes = 3 << 20

// PutBytes returns the size of the items that writes put.
func PutBytes(writes []Write) (n int) {
	for _, w := range writes {
		n += SizeOf(w.Put)
	}
	return n
}

// Transact makes all changes or none. Error messages use what to name the write. It returns a
// Refused error, without an item, if a condition failed. After an Unavailable error the transaction
// may or may not have taken effect.
func (t *Table) Transact(ctx context.Context, what string, writes ...Write) error {
	ctx, cancel := t.Deadline(ctx)
	defer cancel()
	if err := t.allowed(ctx); err != nil {
		return err
	}
	in := &dynamodb.TransactWriteItemsInput{ReturnConsumedCapacity: weighed,
		TransactItems: make([]types.TransactWriteItem, len(writes))}
	for i, w := range writes {
		in.TransactItems[i] = t.transactItem(w)
	}
	call := Call{Operation: TransactWriteItems}
	if len(writes) > 0 {
		call = newCall(TransactWriteItems, writes[0].item())
	}
	_, err := repeat(ctx, t, func() (*dynamodb.TransactWriteItemsOutput, error) {
		// Each attempt is a separate transaction: the client gives it a token that makes the
		// client's own retries idempotent.
		once := *in
		return ask(ctx, t, call, t.api.TransactWriteItems, &once)
	})
	if refusedTransaction(err) {
		return &Refused{}
	}
	return Failed(what, err)
}

// WriteAll makes all changes or none. It writes a single change without a transaction, which would
// double the cost. It returns the errors of Write and Transact.
func (t *Table) WriteAll(ctx context.Context, what string, writes ...Write) error {
	if len(writes) == 1 {
		return t.Write(ctx, what, writes[0])
	}
	return t.Transact(ctx, what, writes...)
}

// Race calls try, which reads the current state each time, until its error is nil or is not a
// refusal caused by another writer of the same item. It returns that error. Error messages use
// what if the deadline passes first.
func (t *Table) Race(ctx context.Context, what string, try func() error) error {
	for pause := t.NewRace(); ; {
		err := try()
		if _, refused := IsRefused(err); !refused {
			return err
		}
		if err := pause.Wait(ctx); err != nil {
			return Failed(what, err)
		}
	}
}

func (t *Table) transactItem(w Write) types.TransactWriteItem {
	var condition *string
	if w.If != "" {
		condition = &w.If
	}
	switch {
	case w.Put != nil:
		return types.TransactWriteItem{Put: &types.Put{
			TableName: t.nameOf(w.In), Item: w.Put, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		}}
	case w.Update != "":
		return types.TransactWriteItem{Update: &types.Update{
			TableName: t.nameOf(w.In), Key: w.Key, UpdateExpression: &w.Update, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		}}
	case w.Delete:
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: t.nameOf(w.In), Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		}}
	default:
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: t.nameOf(w.In), Key: w.Key, ConditionExpression: condition,
			ExpressionAttributeNames: w.Names, ExpressionAttributeValues: w.Values,
		}}
	}
}

// refusedTransaction reports whether a transaction was cancelled because a condition failed.
func refusedTransaction(err error) bool {
	var canceled *types.TransactionCanceledException
	if !errors.As(err, &canceled) {
		return false
	}
	for _, r := range canceled.CancellationReasons {
		if aws.ToString(r.Code) == "ConditionalCheckFailed" {
			return true
		}
	}
	return false
}
