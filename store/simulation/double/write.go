package double

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"product-comments/internal/engine/dynamo"
)

// find returns the tables of the DB as a dynamo.Tables.
func (s *setting) find() dynamo.Tables {
	return func(name string) (*dynamo.Table, error) {
		t, err := s.table(name, s.now)
		if err != nil {
			return nil, err
		}
		return t.Table, nil
	}
}

// before returns the current item of a write.
func (s *setting) before(w *dynamo.Write) item { return s.tables[w.Table.Name].base.get(w.ID) }

// after applies a write: it stores the item, or deletes it if it is nil.
func (s *setting) after(w *dynamo.Write, it item) {
	if !w.Check {
		s.tables[w.Table.Name].change(s.now, w.ID, it, byCaller)
	}
}

// one executes a write and returns the item before and after it.
func (s *setting) one(w *dynamo.Write, err error) (before, after item, _ error) {
	if err != nil {
		return nil, nil, err
	}
	before = s.before(w)
	if after, err = w.Result(before); err != nil {
		return nil, nil, err
	}
	s.after(w, after)
	return before, after, nil
}

// token is the ClientRequestToken of a transaction that succeeded.
type token struct {
	text    string
	at      time.Time
	content hash // of the request
}

// TransactWriteItems executes all of up to 100 writes, or none.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	called(c, in)
	content := hash(0)
	for _, w := range in.TransactItems {
		content += transactHash(w)
	}
	what := call{service: tableService, operation: "TransactWriteItems", content: content, writes: true, items: len(in.TransactItems)}
	if what.items > 0 {
		what.conflict = func(dice *rand.Rand) error {
			return canceledBy(what.items, "TransactionConflict", "Transaction is ongoing for the item", dice)
		}
	}
	made := false // by this call: without a token of the caller, the SDK gives the call and its repetition the same one
	return do(ctx, c, what, func(s *setting) (*dynamodb.TransactWriteItemsOutput, error) {
		out, err := s.transact(in, content, made)
		made = made || err == nil
		return out, err
	})
}

func (s *setting) transact(in *dynamodb.TransactWriteItemsInput, content hash, made bool) (*dynamodb.TransactWriteItemsOutput, error) {
	writes, err := s.find().Transaction(in)
	if err != nil {
		return nil, err
	}
	t := s.tables[writes[0].Table.Name]
	if in.ClientRequestToken != nil {
		if made, err = t.repeats(s.now, *in.ClientRequestToken, content); err != nil {
			return nil, err
		}
	}
	spent := dynamo.Spent{}
	if !made {
		if spent, err = s.all(writes); err != nil {
			return nil, err
		}
		if in.ClientRequestToken != nil {
			t.tokens = append(t.tokens, token{*in.ClientRequestToken, s.now, content})
		}
	}
	return &dynamodb.TransactWriteItemsOutput{ConsumedCapacity: dynamo.ConsumedBy(in.ReturnConsumedCapacity, spent)}, nil
}

// all executes all writes or none, and returns the cost by table.
func (s *setting) all(writes []*dynamo.Write) (dynamo.Spent, error) {
	before := make([]item, len(writes))
	for i, w := range writes {
		before[i] = s.before(w)
	}
	after, spent, err := dynamo.ResultAll(writes, before)
	for i := range after {
		s.after(writes[i], after[i])
	}
	return spent, err
}

// repeats reports whether a transaction is the repetition of one that succeeded less than ten
// minutes ago. It returns an IdempotentParameterMismatchException if a different transaction had
// the same token.
func (t *table) repeats(now time.Time, text string, content hash) (bool, error) {
	for len(t.tokens) > 0 && now.Sub(t.tokens[0].at) >= dynamo.TokenAge {
		t.tokens = t.tokens[1:]
	}
	for _, known := range t.tokens {
		if known.text != text {
			continue
		}
		if known.content != content {
			return false, dynamo.MismatchedToken()
		}
		return true, nil
	}
	return false, nil
}

// transactHash returns the hash of one write in a transaction.
func transactHash(w types.TransactWriteItem) hash {
	say := func(kind string, key item, condition, update *string, names map[string]string, values item) hash {
		h := hash(0).text(kind).item(key).text(aws.ToString(condition)).text(aws.ToString(update)).item(values)
		sum := hash(0)
		for name, attribute := range names {
			sum += hash(0).text(name).text(attribute)
		}
		return h.number(uint64(sum))
	}
	switch {
	case w.Put != nil:
		return say("put", w.Put.Item, w.Put.ConditionExpression, nil, w.Put.ExpressionAttributeNames, w.Put.ExpressionAttributeValues)
	case w.Update != nil:
		return say("update", w.Update.Key, w.Update.ConditionExpression, w.Update.UpdateExpression, w.Update.ExpressionAttributeNames, w.Update.ExpressionAttributeValues)
	case w.Delete != nil:
		return say("delete", w.Delete.Key, w.Delete.ConditionExpression, nil, w.Delete.ExpressionAttributeNames, w.Delete.ExpressionAttributeValues)
	case w.ConditionCheck != nil:
		return say("check", w.ConditionCheck.Key, w.ConditionCheck.ConditionExpression, nil, w.ConditionCheck.ExpressionAttributeNames, w.ConditionCheck.ExpressionAttributeValues)
	}
	return 0
}
