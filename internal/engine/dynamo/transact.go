package dynamo

import (
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	maxTransact      = 100 // items
	maxTransactBytes = 4 << 20
	// TokenAge is the time for which a transaction with the same ClientRequestToken is a
	// repetition.
	TokenAge = 10 * time.Minute
)

// Transaction checks a TransactWriteItems and returns its writes, or an Invalid or NotFound error.
func (find Tables) Transaction(in *dynamodb.TransactWriteItemsInput) ([]*Write, error) {
	if len(in.TransactItems) == 0 {
		return nil, tooShort("transactItems")
	}
	if len(in.TransactItems) > maxTransact {
		return nil, Invalid("Member must have length less than or equal to 100")
	}
	writes := make([]*Write, len(in.TransactItems))
	seen := map[string]bool{}
	for i, of := range in.TransactItems {
		w, err := find.transactOne(of)
		if err != nil {
			return nil, err
		}
		if seen[w.Table.Name+"/"+w.ID] {
			return nil, Invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[w.Table.Name+"/"+w.ID] = true
		writes[i] = w
	}
	return writes, nil
}

func (find Tables) transactOne(of types.TransactWriteItem) (*Write, error) {
	switch {
	case of.Put != nil:
		return find.put(of.Put)
	case of.Update != nil:
		return find.update(of.Update)
	case of.Delete != nil:
		return find.delete(of.Delete)
	case of.ConditionCheck != nil:
		return find.check(of.ConditionCheck)
	}
	return nil, Invalid("TransactItems can only contain one of Check, Put, Update or Delete")
}

// ResultAll returns the items after a transaction, given the items before it, and the units by
// table. It returns a TransactionCanceledException if one of the writes fails.
func ResultAll(writes []*Write, before []Item) (after []Item, spent Spent, err error) {
	reasons := make([]types.CancellationReason, len(writes))
	after, spent = make([]Item, len(writes)), Spent{}
	failed := false
	bytes := 0
	for i, w := range writes {
		if after[i], err = w.Result(before[i]); err != nil {
			reasons[i], failed = asReason(err), true
			continue
		}
		reasons[i].Code = aws.String("None")
		bytes += Size(after[i])
		spent.Add(w.Table.Name, w.Table.Cost(before[i], after[i]).inTransaction())
	}
	if failed {
		return nil, nil, Canceled(reasons)
	}
	if bytes > maxTransactBytes {
		return nil, nil, Invalid("Collection size of transaction items has exceeded the maximum allowed size of 4 MB")
	}
	return after, spent, nil
}

// MismatchedToken returns the error of a transaction with the token of a different transaction.
func MismatchedToken() error {
	return &types.IdempotentParameterMismatchException{
		Message: aws.String("The client token is used with other parameters"),
	}
}

// Canceled returns the error of a canceled transaction, with a reason for each of its items.
func Canceled(reasons []types.CancellationReason) error {
	codes := make([]string, len(reasons))
	for i, r := range reasons {
		codes[i] = *r.Code
	}
	message := "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
		strings.Join(codes, ", ") + "]"
	return &types.TransactionCanceledException{Message: &message, CancellationReasons: reasons}
}
