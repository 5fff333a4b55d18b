package double

import (
	"context"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxTransact      = 100 // items
	maxTransactBytes = 4 << 20
	tokenAge         = 10 * time.Minute
)

// token is a ClientRequestToken of a transaction that succeeded.
type token struct {
	text    string
	at      time.Time
	content hash // of the request
}

// TransactWriteItems makes all of up to 100 writes, or none.
func (c *Client) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
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
	made := false // by this call: if it gives no token, the SDK gives it and its repetition one of their own
	return do(ctx, c, what, func(s *setting) (*dynamodb.TransactWriteItemsOutput, error) {
		out, err := s.transact(in, content, made)
		made = made || err == nil
		return out, err
	})
}

func (s *setting) transact(in *dynamodb.TransactWriteItemsInput, content hash, made bool) (*dynamodb.TransactWriteItemsOutput, error) {
	if len(in.TransactItems) == 0 {
		return nil, tooShort("transactItems")
	}
	if len(in.TransactItems) > maxTransact {
		return nil, invalid("Member must have length less than or equal to 100")
	}
	writes := make([]*write, len(in.TransactItems))
	seen := map[string]bool{}
	for i, of := range in.TransactItems {
		w, err := s.transactOne(of)
		if err != nil {
			return nil, err
		}
		if seen[w.t.name+"/"+w.id] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[w.t.name+"/"+w.id] = true
		writes[i] = w
	}
	t := writes[0].t
	var err error
	if in.ClientRequestToken != nil {
		if made, err = t.repeats(s.now, *in.ClientRequestToken, content); err != nil {
			return nil, err
		}
	}
	units := map[string]float64{}
	if !made {
		if units, err = s.all(writes); err != nil {
			return nil, err
		}
		if in.ClientRequestToken != nil {
			t.tokens = append(t.tokens, token{*in.ClientRequestToken, s.now, content})
		}
	}
	return &dynamodb.TransactWriteItemsOutput{ConsumedCapacity: consumedBy(in.ReturnConsumedCapacity, units)}, nil
}

// all makes all writes or none, and returns what that costs by table.
func (s *setting) all(writes []*write) (map[string]float64, error) {
	reasons := make([]types.CancellationReason, len(writes))
	after := make([]item, len(writes))
	failed := false
	bytes := 0
	for i, w := range writes {
		before := w.t.base.get(w.id)
		var err error
		if after[i], err = w.result(before); err != nil {
			reasons[i], failed = asReason(err), true
			continue
		}
		reasons[i].Code = aws.String("None")
		bytes += itemSize(after[i])
	}
	if failed {
		return nil, canceled(reasons)
	}
	if bytes > maxTransactBytes {
		return nil, invalid("Collection size of transaction items has exceeded the maximum allowed size of 4 MB")
	}
	units := map[string]float64{}
	for i, w := range writes {
		units[w.t.name] += 2 * w.t.cost(w.t.base.get(w.id), after[i])
		if !w.check {
			w.t.change(s.now, w.id, after[i], byCaller)
		}
	}
	return units, nil
}

func (s *setting) transactOne(of types.TransactWriteItem) (*write, error) {
	switch {
	case of.Put != nil:
		return s.newPut(of.Put)
	case of.Update != nil:
		return s.newUpdate(of.Update)
	case of.Delete != nil:
		return s.newDelete(of.Delete)
	case of.ConditionCheck != nil:
		return s.newCheck(of.ConditionCheck)
	}
	return nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
}

// repeats reports whether a transaction is one that succeeded less than ten minutes ago. It
// returns an IdempotentParameterMismatchException if it has the token of another one.
func (t *table) repeats(now time.Time, text string, content hash) (bool, error) {
	for len(t.tokens) > 0 && now.Sub(t.tokens[0].at) >= tokenAge {
		t.tokens = t.tokens[1:]
	}
	for _, known := range t.tokens {
		if known.text != text {
			continue
		}
		if known.content != content {
			return false, &types.IdempotentParameterMismatchException{Message: aws.String("The client token is used with other parameters")}
		}
		return true, nil
	}
	return false, nil
}

// transactHash is the hash of all that one write of a transaction says.
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

// canceled is the answer to a transaction that was not made, with a reason for
// each of its items.
func canceled(reasons []types.CancellationReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = *r.Code
	}
	message := "Transaction cancelled, please refer cancellation reasons for specific reasons [" + strings.Join(codes, ", ") + "]"
	return &types.TransactionCanceledException{Message: &message, CancellationReasons: reasons}
}
