package dynamo

import (
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// Tables returns the table with a name, or a NotFound error.
type Tables func(name string) (*Table, error)

func (find Tables) table(name *string) (*Table, error) {
	if err := requireName(name); err != nil {
		return nil, err
	}
	return find(*name)
}

// Write is a put, an update, a deletion or a condition check, alone or in a transaction, with a
// checked request. It shares values with the caller, but no maps.
type Write struct {
	*request
	Table *Table
	Key   Item
	ID    string // of the item in the table
	Check bool   // it only checks the condition

	condition condition
	onFailure types.ReturnValuesOnConditionCheckFailure
	put       Item    // becomes the item
	update    *update // alters it; with neither it is deleted
	modify    bool    // it is an update, perhaps without an expression
	want      types.ReturnValue
	cost      types.ReturnConsumedCapacity
}

// newWrite returns a write with the parameters that all writes have. Its errors are those of done.
func (find Tables) newWrite(u *types.Update) *Write {
	w := &Write{request: newRequest(u.ExpressionAttributeNames, u.ExpressionAttributeValues), Key: u.Key,
		onFailure: u.ReturnValuesOnConditionCheckFailure}
	var err error
	if w.Table, err = find.table(u.TableName); err != nil {
		w.err = err
	}
	w.condition = w.request.condition(conditionKind, u.ConditionExpression)
	return w
}

func (find Tables) put(p *types.Put) (*Write, error) {
	w := find.newWrite(&types.Update{TableName: p.TableName, ConditionExpression: p.ConditionExpression,
		ExpressionAttributeNames: p.ExpressionAttributeNames, ExpressionAttributeValues: p.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: p.ReturnValuesOnConditionCheckFailure})
	err := w.done()
	if err == nil {
		w.put, err = storedItem(p.Item)
	}
	if err == nil {
		err = w.Table.check(w.put, "Item size has exceeded the maximum allowed size")
	}
	if err != nil {
		return nil, err
	}
	w.Key, w.ID = w.Table.Base.Key.KeyOf(w.put), w.Table.ID(w.put)
	return w, nil
}

func (find Tables) update(u *types.Update) (*Write, error) {
	w := find.newWrite(u)
	w.modify = true
	if e := w.expression(updateKind, u.UpdateExpression); e != nil && w.err == nil {
		w.update = e.update
		w.fail(w.update.check(w.bindings, w.Table.Base.Key.has))
	}
	return w.withKey()
}

func (find Tables) delete(d *types.Delete) (*Write, error) {
	return find.newWrite(&types.Update{TableName: d.TableName, Key: d.Key, ConditionExpression: d.ConditionExpression,
		ExpressionAttributeNames: d.ExpressionAttributeNames, ExpressionAttributeValues: d.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: d.ReturnValuesOnConditionCheckFailure}).withKey()
}

func (find Tables) check(c *types.ConditionCheck) (*Write, error) {
	w := find.newWrite(&types.Update{TableName: c.TableName, Key: c.Key, ConditionExpression: c.ConditionExpression,
		ExpressionAttributeNames: c.ExpressionAttributeNames, ExpressionAttributeValues: c.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: c.ReturnValuesOnConditionCheckFailure})
	w.Check = true
	return w.withKey()
}

// withKey checks the key of the write.
func (w *Write) withKey() (*Write, error) {
	if err := w.done(); err != nil {
		return nil, err
	}
	if err := w.Table.Base.Key.checkKey(w.Key); err != nil {
		return nil, err
	}
	w.ID = w.Table.ID(w.Key)
	var err error
	w.Key, err = storedItem(w.Key)
	return w, err
}

// returning sets the return values of a single write. It refuses kinds that return only changed
// attributes.
func (w *Write) returning(err error, want types.ReturnValue, cost types.ReturnConsumedCapacity,
	kinds ...types.ReturnValue) (*Write, error) {
	if err != nil {
		return nil, err
	}
	if want != "" && want != types.ReturnValueNone && !slices.Contains(kinds, want) {
		return nil, Invalid("ReturnValues %s is not possible here", want)
	}
	w.want, w.cost = want, cost
	return w, nil
}

// Put checks a PutItem and returns its write, or an Invalid or NotFound error.
func (find Tables) Put(in *dynamodb.PutItemInput) (*Write, error) {
	w, err := find.put(&types.Put{
		TableName: in.TableName, Item: in.Item, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames:            in.ExpressionAttributeNames,
		ExpressionAttributeValues:           in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	})
	return w.returning(err, in.ReturnValues, in.ReturnConsumedCapacity, types.ReturnValueAllOld)
}

// Update checks an UpdateItem and returns its write, or an Invalid or NotFound error.
func (find Tables) Update(in *dynamodb.UpdateItemInput) (*Write, error) {
	w, err := find.update(&types.Update{
		TableName: in.TableName, Key: in.Key, UpdateExpression: in.UpdateExpression,
		ConditionExpression:                 in.ConditionExpression,
		ExpressionAttributeNames:            in.ExpressionAttributeNames,
		ExpressionAttributeValues:           in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	})
	return w.returning(err, in.ReturnValues, in.ReturnConsumedCapacity,
		types.ReturnValueAllOld, types.ReturnValueAllNew)
}

// Delete checks a DeleteItem and returns its write, or an Invalid or NotFound error.
func (find Tables) Delete(in *dynamodb.DeleteItemInput) (*Write, error) {
	w, err := find.delete(&types.Delete{
		TableName: in.TableName, Key: in.Key, ConditionExpression: in.ConditionExpression,
		ExpressionAttributeNames:            in.ExpressionAttributeNames,
		ExpressionAttributeValues:           in.ExpressionAttributeValues,
		ReturnValuesOnConditionCheckFailure: in.ReturnValuesOnConditionCheckFailure,
	})
	return w.returning(err, in.ReturnValues, in.ReturnConsumedCapacity, types.ReturnValueAllOld)
}

// Result returns the item after the write, nil if the write deletes it, given the item before. It
// returns a ConditionalCheckFailedException, or a ValidationException for an update that does not
// fit the item.
func (w *Write) Result(before Item) (Item, error) {
	if !w.met(w.condition, before) {
		e := &types.ConditionalCheckFailedException{Message: aws.String("The conditional request failed")}
		if w.onFailure == types.ReturnValuesOnConditionCheckFailureAllOld {
			e.Item = Given(before)
		}
		return nil, e
	}
	switch {
	case w.Check:
		return before, nil
	case w.put != nil:
		return w.put, nil
	case !w.modify:
		return nil, nil
	}
	if before == nil {
		before = w.Key
	}
	if w.update == nil {
		return before, nil
	}
	after, err := w.update.apply(w.bindings, before)
	if err == nil {
		after, err = storedItem(after)
	}
	if err == nil {
		err = w.Table.check(after, "Item size to update has exceeded the maximum allowed size")
	}
	return after, err
}

// Answer returns the item and the consumed capacity that the caller of a single write asked for.
func (w *Write) Answer(before, after Item) (Item, *types.ConsumedCapacity) {
	cost := Consumed(w.cost, w.Table.Name, w.Table.Cost(before, after))
	switch w.want {
	case types.ReturnValueAllOld:
		return Given(before), cost
	case types.ReturnValueAllNew:
		return Given(after), cost
	}
	return nil, cost
}

// asReason converts the error of a write in a transaction to a cancellation reason.
func asReason(err error) types.CancellationReason {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return types.CancellationReason{Code: aws.String("ConditionalCheckFailed"), Message: failed.Message, Item: failed.Item}
	}
	message := err.Error()
	var api smithy.APIError
	if errors.As(err, &api) {
		message = api.ErrorMessage()
	}
	return types.CancellationReason{Code: aws.String("ValidationError"), Message: &message}
}
