package double

import (
	"errors"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

// write is a put, an update, a deletion or a condition check, alone or in a
// transaction, after all that can be said about it without looking at the item.
type write struct {
	*request
	t         *table
	key       item
	id        string
	condition condition
	onFailure types.ReturnValuesOnConditionCheckFailure

	put    item    // becomes the item
	update *update // alters it; with neither it is deleted
	modify bool    // it is an update, perhaps without an expression
	check  bool    // it only checks the condition
}

// newWrite begins a write with what all of them have.
func (s *setting) newWrite(tableName *string, key item, condition *string, names map[string]string, values item, onFailure types.ReturnValuesOnConditionCheckFailure) (*write, error) {
	t, err := s.table(tableName, s.now)
	if err != nil {
		return nil, err
	}
	w := &write{request: s.request(names, values), t: t, key: key, onFailure: onFailure}
	w.condition = w.request.condition(conditionKind, condition)
	return w, nil
}

func (s *setting) newPut(p *types.Put) (*write, error) {
	w, err := s.newWrite(p.TableName, p.Item, p.ConditionExpression, p.ExpressionAttributeNames, p.ExpressionAttributeValues, p.ReturnValuesOnConditionCheckFailure)
	if err != nil {
		return nil, err
	}
	if err := w.done(); err != nil {
		return nil, err
	}
	if w.put, err = storedItem(p.Item); err != nil {
		return nil, err
	}
	if err := w.t.check(w.put); err != nil {
		return nil, err
	}
	if itemSize(w.put) > maxItem {
		return nil, invalid("Item size has exceeded the maximum allowed size")
	}
	w.key = w.t.key.keyOf(w.put)
	w.id = w.t.idOf(w.put)
	return w, nil
}

func (s *setting) newUpdate(u *types.Update) (*write, error) {
	w, err := s.newWrite(u.TableName, u.Key, u.ConditionExpression, u.ExpressionAttributeNames, u.ExpressionAttributeValues, u.ReturnValuesOnConditionCheckFailure)
	if err != nil {
		return nil, err
	}
	w.modify = true
	if e := w.expression(updateKind, u.UpdateExpression); e != nil && w.err == nil {
		w.update = e.update
		w.fail(w.update.check(w.bindings, w.t.key.has))
	}
	return w.withKey()
}

func (s *setting) newDelete(d *types.Delete) (*write, error) {
	w, err := s.newWrite(d.TableName, d.Key, d.ConditionExpression, d.ExpressionAttributeNames, d.ExpressionAttributeValues, d.ReturnValuesOnConditionCheckFailure)
	if err != nil {
		return nil, err
	}
	return w.withKey()
}

func (s *setting) newCheck(c *types.ConditionCheck) (*write, error) {
	w, err := s.newWrite(c.TableName, c.Key, c.ConditionExpression, c.ExpressionAttributeNames, c.ExpressionAttributeValues, c.ReturnValuesOnConditionCheckFailure)
	if err != nil {
		return nil, err
	}
	w.check = true
	return w.withKey()
}

// withKey checks the key that the write is about.
func (w *write) withKey() (*write, error) {
	if err := w.done(); err != nil {
		return nil, err
	}
	if err := w.t.key.checkKey(w.key); err != nil {
		return nil, err
	}
	w.id = w.t.idOf(w.key)
	return w, nil
}

// result returns what the item becomes; nil if it is deleted. It returns a
// ConditionalCheckFailedException, or a ValidationException for an update that
// does not fit the item.
func (w *write) result(before item) (item, error) {
	if !w.met(w.condition, before) {
		return nil, failedCondition(before, w.onFailure)
	}
	switch {
	case w.check:
		return before, nil
	case w.put != nil:
		return w.put, nil
	case !w.modify:
		return nil, nil
	}
	if before == nil {
		var err error
		if before, err = storedItem(w.key); err != nil {
			return nil, err
		}
	}
	if w.update == nil {
		return before, nil
	}
	after, err := w.update.apply(w.bindings, before)
	if err != nil {
		return nil, err
	}
	if after, err = storedItem(after); err != nil {
		return nil, err
	}
	if err := w.t.check(after); err != nil {
		return nil, err
	}
	if itemSize(after) > maxItem {
		return nil, invalid("Item size to update has exceeded the maximum allowed size")
	}
	return after, nil
}

// one makes a single write and returns the item before and after it.
func (s *setting) one(w *write) (before, after item, err error) {
	before = w.t.base.get(w.id)
	if after, err = w.result(before); err != nil {
		return nil, nil, err
	}
	w.t.change(s.now, w.id, after, byCaller)
	return before, after, nil
}

// single makes the only write of a call, unless it failed before, and tells what the call
// returns of the item and what it consumed.
func (s *setting) single(w *write, err error, cost types.ReturnConsumedCapacity, want types.ReturnValue, kinds ...types.ReturnValue) (item, *types.ConsumedCapacity, error) {
	if err == nil {
		err = returnable(want, kinds...)
	}
	if err != nil {
		return nil, nil, err
	}
	before, after, err := s.one(w)
	if err != nil {
		return nil, nil, err
	}
	return returned(want, before, after), consumed(cost, w.t.name, w.t.cost(before, after)), nil
}

// consumed tells what a call consumed, if that was asked for.
func consumed(want types.ReturnConsumedCapacity, table string, units float64) *types.ConsumedCapacity {
	if want == "" || want == types.ReturnConsumedCapacityNone {
		return nil
	}
	return &types.ConsumedCapacity{TableName: &table, CapacityUnits: &units}
}

// consumedBy tells what a call consumed of each table, if that was asked for.
func consumedBy(want types.ReturnConsumedCapacity, units map[string]float64) (all []types.ConsumedCapacity) {
	for _, name := range slices.Sorted(maps.Keys(units)) {
		if c := consumed(want, name, units[name]); c != nil {
			all = append(all, *c)
		}
	}
	return all
}

// returnable refuses to return anything but nothing and some kinds. The double
// does not know the kinds that return a part of an item.
func returnable(want types.ReturnValue, kinds ...types.ReturnValue) error {
	if want == "" || want == types.ReturnValueNone || slices.Contains(kinds, want) {
		return nil
	}
	return invalid("ReturnValues %s is not possible here", want)
}

// returned picks what a write returns.
func returned(want types.ReturnValue, before, after item) item {
	switch want {
	case types.ReturnValueAllOld:
		return given(before)
	case types.ReturnValueAllNew:
		return given(after)
	}
	return nil
}

// asReason turns the error of a write in a transaction into a reason to cancel it.
func asReason(err error) types.CancellationReason {
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		code := "ConditionalCheckFailed"
		return types.CancellationReason{Code: &code, Message: failed.Message, Item: failed.Item}
	}
	code, message := "ValidationError", err.Error()
	var api smithy.APIError
	if errors.As(err, &api) {
		message = api.ErrorMessage()
	}
	return types.CancellationReason{Code: &code, Message: &message}
}
